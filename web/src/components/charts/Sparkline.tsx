const WIDTH = 120;
const HEIGHT = 24;

/** The shape of a series without numbers; decorative, next to a value. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values);
  const least = Math.min(...values);
  const span = most - least || 1;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values
    .map((value, index) => {
      const y = HEIGHT - 2 - ((value - least) / span) * (HEIGHT - 4);
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline
        points={points}
        fill="none"
        stroke="var(--series-1)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
