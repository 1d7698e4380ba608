import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Notice.module.css';
import { toneStyle } from './tones.ts';

interface NoticeProps {
  readonly tone: 'blue' | 'green' | 'yellow' | 'red';
  readonly title?: string;
  readonly children?: ReactNode;
  /** What the user can do about it, e.g. a Retry button. */
  readonly action?: ReactNode;
}

const ICONS = {
  blue: IconInfoCircle,
  green: IconCircleCheck,
  yellow: IconAlertTriangle,
  red: IconAlertTriangle,
} as const;

/** A notice inside the region it concerns. Red ones are announced by screen readers. */
export function Notice({ tone, title, children, action }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div
      className={classes.notice}
      style={toneStyle(tone)}
      role={tone === 'red' ? 'alert' : 'note'}
    >
      <Icon size={18} aria-hidden />
      <Group justify="space-between" gap="sm" flex={1} miw={0}>
        <Stack gap={2} flex="1 1 240px" miw={0}>
          {title !== undefined && <Text fw={600}>{title}</Text>}
          {children !== undefined && (
            <Text component="div" style={{ overflowWrap: 'anywhere' }}>
              {children}
            </Text>
          )}
        </Stack>
        {action}
      </Group>
    </div>
  );
}
