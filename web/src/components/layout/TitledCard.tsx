import { Card, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface TitledCardProps {
  readonly title: string;
  /** Beside the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A card with a title, which is a region of the page. */
export function TitledCard({ title, action, children }: TitledCardProps) {
  return (
    <Card component="section" aria-label={title}>
      <Group gap="md" justify="space-between" wrap="nowrap" mb="sm">
        <Title order={2} fz={14}>
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Card>
  );
}
