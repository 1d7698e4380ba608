import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { SlashIcon, WarningIcon } from './icons.tsx';
import classes from './Notice.module.css';

interface NoticeProps {
  readonly tone: 'yellow' | 'red';
  readonly title: string;
  readonly children: ReactNode;
  /** What the reader can do about it, e.g. a Retry button. */
  readonly action?: ReactNode;
}

/** A note inside the region it is about: what happened and what to do. */
export function Notice({ tone, title, children, action }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'red' ? 'alert' : 'note'}>
      {tone === 'red' ? <SlashIcon /> : <WarningIcon />}
      <Group justify="space-between" gap="sm" flex={1} miw={0}>
        <Stack gap={4} flex="1 1 240px" miw={0}>
          <Title order={3}>{title}</Title>
          <Text size="sm" component="div" className={classes.text}>
            {children}
          </Text>
        </Stack>
        {action}
      </Group>
    </div>
  );
}
