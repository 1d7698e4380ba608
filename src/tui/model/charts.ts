/** Small charts made of characters. */
const STEPS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** The last `width` values as one character each, scaled to the largest; zeros are drawn flat. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-Math.max(0, width));
  const most = Math.max(0, ...shown);
  return shown
    .map((value) => {
      const share = most > 0 ? Math.max(0, value) / most : 0;
      return STEPS[Math.min(STEPS.length - 1, Math.floor(share * STEPS.length))] ?? STEPS[0];
    })
    .join('');
}

/** `value` relative to `most` as a bar of up to `width` cells; values above 0 always show. */
export function bar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0 || width <= 0) return '';
  return STEPS[7].repeat(Math.max(1, Math.round((value / most) * width)));
}
