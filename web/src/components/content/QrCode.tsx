import { encode } from 'uqr';

interface QrCodeProps {
  readonly text: string;
  /** Describes the link target to screen readers. */
  readonly label: string;
  /** Pixels. */
  readonly size?: number;
}

/** Dark on light in both themes, because cameras read inverted codes less reliably. */
export function QrCode({ text, label, size = 180 }: QrCodeProps) {
  const { data, size: modules } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
      style={{ flexShrink: 0, borderRadius: 6 }}
    >
      <path d={`M0 0h${modules}v${modules}H0z`} fill="#FFFFFF" />
      <path d={path} fill="#1C212A" />
    </svg>
  );
}
