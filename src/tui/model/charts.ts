/** Small pictures made of letters. */
const STEPS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** The last `width` values as one character each, the largest at full height; nothing draws flat. */
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

/** `value` as a share of `most` in at most `width` cells; what is not nothing shows. */
export function bar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0 || width <= 0) return '';
  return STEPS[7].repeat(Math.max(1, Math.round((value / most) * width)));
}
