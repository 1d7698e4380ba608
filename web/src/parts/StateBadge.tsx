import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { DotIcon, SlashIcon, WarningIcon } from './icons.tsx';

export type Tone = 'green' | 'yellow' | 'red';

/** A state is told by its word and a shape; colour only repeats it. */
const SHAPES: Record<Tone, ReactNode> = {
  green: <DotIcon size={14} />,
  yellow: <WarningIcon size={14} />,
  red: <SlashIcon size={14} />,
};

export function StateBadge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) {
  return (
    <Badge
      radius="xl"
      size="lg"
      fw={500}
      tt="none"
      bg={`var(--tone-${tone}-tint)`}
      c={`var(--tone-${tone}-text)`}
      leftSection={SHAPES[tone]}
    >
      {children}
    </Badge>
  );
}
