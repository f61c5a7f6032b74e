/** Which WebAssembly features the engine accepts, found by validating the smallest module that uses them. */

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** One function type () -> v128, one function of that type; `body` follows in the code section. */
const v128Module = (body: number[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...HEADER,
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
    ...[0x03, 0x02, 0x01, 0x00],
    ...[0x0a, body.length + 4, 0x01, body.length + 2, 0x00, ...body, 0x0b],
  ]);

const ZERO = [0x41, 0x00, 0xfd, 0x0f]; // i32.const 0, i8x16.splat

const accepts = (module: Uint8Array<ArrayBuffer>): boolean =>
  typeof WebAssembly === 'object' && WebAssembly.validate(module);

export const hasSimd = (): boolean => accepts(v128Module(ZERO));
/** f32x4.relaxed_madd, opcode 0x105. */
export const hasRelaxedSimd = (): boolean => accepts(v128Module([...ZERO, ...ZERO, ...ZERO, 0xfd, 0x85, 0x02]));
