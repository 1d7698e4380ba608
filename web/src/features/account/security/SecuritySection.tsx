import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Dimmed } from '../../../components/display/Dimmed.tsx';

interface SectionProps {
  readonly title: string;
  readonly hint?: string;
  /** Next to the title. */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** One section of the security tab. */
export function SecuritySection({ title, hint, action, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Title order={2} fz={14} id={id}>
            {title}
          </Title>
          {hint !== undefined && <Dimmed size="sm">{hint}</Dimmed>}
        </div>
        {action}
      </Group>
      {children}
    </Stack>
  );
}
