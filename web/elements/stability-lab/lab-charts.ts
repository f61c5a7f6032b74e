/** The lab's pictures: makes them on the places that the template leaves free, draws them, takes them down. */
import { LineChart } from '../../charts/line-chart.js';
import { drawHeatmap } from '../../charts/heatmap.js';
import { lossModel, maxAbsModel, type HeatQuantity, type LabView, type Quantity } from './chart-models.js';
import { heatModel, heatScale, mappedRecords } from './heat-models.js';
import { profileModel } from './profile-models.js';

export interface LabPictureChoices {
  quantity: Quantity;
  log: boolean;
  heatQuantity: HeatQuantity;
}

export interface LabChartEvents {
  /** The pointer is over a step's index on the axis of the upper charts, or left. */
  onHover: (step: number | null) => void;
  onPick: (step: number) => void;
}

export class LabCharts {
  #root: ParentNode;
  #charts = new Map<string, LineChart>();
  #steps: ArrayLike<number> = [];
  #heatSizes: ResizeObserver;
  #redraw: () => void = () => undefined;

  constructor(root: ParentNode, events: LabChartEvents) {
    this.#root = root;
    const stepAt = (index: number) => this.#steps[index] ?? null;
    const byStep = {
      onHover: (index: number | null) => events.onHover(index === null ? null : stepAt(index)),
      onPick: (index: number) => events.onPick(stepAt(index) ?? 1),
    };
    this.#make('loss', byStep);
    this.#make('max-abs', byStep);
    this.#make('profile', {});
    this.#heatSizes = new ResizeObserver(() => this.#redraw());
  }

  #make(name: string, options: ConstructorParameters<typeof LineChart>[1]): void {
    const host = this.#root.querySelector<HTMLElement>(`[data-chart="${name}"]`);
    if (host) this.#charts.set(name, new LineChart(host, options));
  }

  draw(view: LabView, choices: LabPictureChoices): void {
    const loss = lossModel(view);
    this.#steps = loss.x;
    this.#charts.get('loss')?.update(loss);
    this.#charts.get('max-abs')?.update(maxAbsModel(view));
    this.#charts.get('profile')?.update(profileModel(view, choices.quantity, choices.log));
    this.#redraw = () => this.#drawHeat(view, choices.heatQuantity);
    this.#redraw();
  }

  #drawHeat(view: LabView, quantity: HeatQuantity): void {
    const { domain } = heatScale(view, quantity);
    const mapped = mappedRecords(view);
    const canvases = this.#root.querySelectorAll<HTMLCanvasElement>('canvas[data-heat]');
    canvases.forEach((canvas) => {
      this.#heatSizes.observe(canvas);
      const record = mapped[Number(canvas.dataset['heat'])];
      if (!record) return;
      const share = view.totalSteps ? (record.steps.at(-1) ?? 0) / view.totalSteps : 1;
      drawHeatmap(canvas, heatModel(record, quantity, domain), share);
    });
  }

  /** Colours may have changed. */
  refresh(): void {
    for (const chart of this.#charts.values()) chart.refresh();
  }

  destroy(): void {
    for (const chart of this.#charts.values()) chart.destroy();
    this.#charts.clear();
    this.#heatSizes.disconnect();
  }
}
