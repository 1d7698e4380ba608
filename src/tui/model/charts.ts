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

/**
 * The last values as columns of a chart with `height` lines, from the top; scaled to the largest
 * value, and values above 0 always show.
 */
export function columnLines(
  values: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] {
  const shown = values.slice(-width);
  const each = width / Math.max(1, shown.length);
  const most = Math.max(0, ...shown);
  const filled = shown.map((value) =>
    value > 0 ? Math.max(1, Math.round((value / most) * height * STEPS.length)) : 0,
  );
  // Wide columns have a gap between them.
  const isGap = (cell: number) => each >= 3 && Math.floor((cell + 1) % each) === 0;
  return Array.from({ length: height }, (_line, at) => {
    const below = (height - 1 - at) * STEPS.length;
    const cells = Array.from({ length: width }, (_cell, cell) => {
      const steps = (filled[Math.floor(cell / each)] ?? 0) - below;
      return isGap(cell) ? ' ' : (STEPS[Math.min(steps, STEPS.length) - 1] ?? ' ');
    });
    return cells.join('').trimEnd();
  });
}

/** `value` relative to `most` as a bar of up to `width` cells; values above 0 always show. */
export function bar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0 || width <= 0) return '';
  return STEPS[7].repeat(Math.max(1, Math.round((value / most) * width)));
}
