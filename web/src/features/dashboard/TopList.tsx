import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Failed, Loading } from '../../components/layout/list-states.tsx';
import classes from './Dashboard.module.css';

export interface TopRow {
  readonly key: string;
  readonly name: string;
  /** Link to the log filtered by this row. */
  readonly to: string;
  readonly size: number;
  readonly value: string;
  readonly note: ReactNode;
}

interface TopListProps {
  readonly title: string;
  /** undefined while loading. */
  readonly rows: readonly TopRow[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => unknown;
}

/** The rows with the highest cost, with bars; a name links to its log entries. */
export function TopList({ title, rows, error, onRetry }: TopListProps) {
  const { t } = useTranslation();
  const most = Math.max(...(rows ?? []).map(({ size }) => size), 1);
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} fz={14} mb="sm">
        {title}
      </Title>
      {rows === undefined ? (
        error ? (
          <Failed error={error} onRetry={onRetry} />
        ) : (
          <Loading />
        )
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed" py="lg" ta="center">
          {t('part.chart.empty')}
        </Text>
      ) : (
        <Stack gap={10}>
          {rows.map((row) => (
            <div key={row.key}>
              <Group justify="space-between" gap="sm" wrap="nowrap">
                <Anchor component={Link} to={row.to} size="sm" truncate title={row.name}>
                  {row.name}
                </Anchor>
                <Text size="sm" fw={500} style={{ whiteSpace: 'nowrap' }}>
                  {row.value}
                </Text>
              </Group>
              <div className={classes.bar} aria-hidden>
                <span style={{ width: `${(row.size / most) * 100}%` }} />
              </div>
              <Text size="xs" c="dimmed" component="div">
                {row.note}
              </Text>
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
