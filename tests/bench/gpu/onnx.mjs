// ONNX models in memory: as much of the file format as the bench's models need. https://onnx.ai/onnx/intro/concepts.html
// A message is a list of fields; a field is its number and kind, then a whole number, four bytes, or a length and bytes.

const WHOLE = 0;
const BYTES = 2;
const FOUR = 5;

function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    const low = Number(rest & 127n);
    if (rest < 128n) return [...bytes, low];
    bytes.push(low | 128);
  }
}

function join(parts) {
  const arrays = parts.flat().map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part)));
  const all = new Uint8Array(arrays.reduce((sum, { length }) => sum + length, 0));
  arrays.reduce((at, array) => (all.set(array, at), at + array.length), 0);
  return all;
}

const whole = (field, value) => Uint8Array.from([...varint((field << 3) | WHOLE), ...varint(value)]);
const four = (field, value) => join([[varint((field << 3) | FOUR), new Uint8Array(Float32Array.of(value).buffer)]]);
function bytes(field, value) {
  const content = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return join([[varint((field << 3) | BYTES), varint(content.length), content]]);
}

/** A number that is to be stored as a float, also where it is whole. */
export const float = (value) => ({ value });

/** AttributeProto: 1 name, 2 f, 3 i, 4 s, 8 ints, 20 type. */
function attribute(name, value) {
  const label = bytes(1, name);
  if (typeof value === 'number') return join([label, whole(3, value), whole(20, 2)]);
  if (typeof value === 'string') return join([label, bytes(4, value), whole(20, 3)]);
  if (Array.isArray(value)) return join([label, ...value.map((item) => whole(8, item)), whole(20, 7)]);
  return join([label, four(2, value.value), whole(20, 1)]);
}

/** NodeProto: 1 input, 2 output, 3 name, 4 op_type, 5 attribute, 7 domain. */
export const node = (op, inputs, outputs, attributes = {}, domain = '') =>
  join([
    ...inputs.map((name) => bytes(1, name)),
    ...outputs.map((name) => bytes(2, name)),
    bytes(3, `${op} ${outputs[0]}`),
    bytes(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value))),
    ...(domain ? [bytes(7, domain)] : []),
  ]);

/** TensorProto: 1 dims, 2 data_type (1 float, 7 int64), 8 name, 9 raw_data. */
function tensor(name, { shape, values }) {
  const isFloat = values instanceof Float32Array;
  const raw = new Uint8Array(isFloat ? values.slice().buffer : BigInt64Array.from(values, BigInt).buffer);
  return join([...shape.map((extent) => whole(1, extent)), whole(2, isFloat ? 1 : 7), bytes(8, name), bytes(9, raw)]);
}

/** ValueInfoProto of a float tensor. */
const info = (name, shape) => {
  const extents = shape.map((extent) => bytes(1, whole(1, extent)));
  return join([bytes(1, name), bytes(2, bytes(1, join([whole(1, 1), bytes(2, join(extents))])))]);
};

/** The bytes of a model; constants, inputs and outputs by name. */
export function model({ nodes, constants = {}, inputs, outputs }) {
  const graph = join([
    ...nodes.map((content) => bytes(1, content)),
    bytes(2, 'bench'),
    ...Object.entries(constants).map(([name, value]) => bytes(5, tensor(name, value))),
    ...Object.entries(inputs).map(([name, shape]) => bytes(11, info(name, shape))),
    ...Object.entries(outputs).map(([name, shape]) => bytes(12, info(name, shape))),
  ]);
  const opset = (domain, version) => bytes(8, join([bytes(1, domain), whole(2, version)]));
  return join([whole(1, 9), bytes(7, graph), opset('', 20), opset('com.microsoft', 1)]);
}
