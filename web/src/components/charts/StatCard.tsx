import { Anchor, Card, Group, Skeleton, Text, Tooltip } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Dimmed } from '../display/Dimmed.tsx';

interface StatCardProps {
  readonly title: string;
  /** undefined while loading. */
  readonly value: ReactNode | undefined;
  readonly hint?: string;
  /** Change from the previous period, as a fraction: 0.08 is +8%. */
  readonly delta?: number | undefined;
  /** An increase is bad: errors, latency. */
  readonly isBadWhenUp?: boolean;
  readonly trend?: readonly number[];
  /** Where the entries behind the figure are. */
  readonly to?: string | undefined;
}

/** One key figure. */
export function StatCard({
  title,
  value,
  hint,
  delta,
  isBadWhenUp = false,
  trend,
  to,
}: StatCardProps) {
  return (
    <Card padding="sm" miw={0}>
      <Tooltip label={hint} disabled={hint === undefined}>
        <Dimmed truncate>{title}</Dimmed>
      </Tooltip>
      <Group wrap="nowrap" align="baseline">
        {value === undefined ? (
          <Skeleton height={22} width="70%" my={4} />
        ) : (
          <Text component="div" truncate miw={0} fz={20} fw={600} lh={1.5}>
            {to === undefined ? (
              value
            ) : (
              <Anchor component={Link} to={to} inherit c="inherit" underline="hover">
                {value}
              </Anchor>
            )}
          </Text>
        )}
        {delta !== undefined && Number.isFinite(delta) && (
          <Delta delta={delta} isBadWhenUp={isBadWhenUp} />
        )}
      </Group>
      {trend !== undefined && <Sparkline values={trend} />}
    </Card>
  );
}

function Delta({ delta, isBadWhenUp }: { readonly delta: number; readonly isBadWhenUp: boolean }) {
  const { t } = useTranslation();
  const isUp = delta >= 0;
  const Icon = isUp ? IconArrowUpRight : IconArrowDownRight;
  const tone = delta === 0 ? 'grey' : isUp === isBadWhenUp ? 'red' : 'green';
  return (
    <Group component="span" gap={0} wrap="nowrap" fz="xs" c={`var(--tone-${tone}-text)`}>
      <Icon size={12} aria-label={t(isUp ? 'part.stat.up' : 'part.stat.down')} />
      {Math.abs(delta * 100).toFixed(1)}%
    </Group>
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** The shape of a series without numbers; decorative, next to a value. Without data it keeps the height. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
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
