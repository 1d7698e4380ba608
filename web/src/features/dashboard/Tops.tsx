import { Anchor, Group, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { countText } from '../../../../src/domain/pricing/quota-text.ts';
import { HealthStrip } from '../../components/charts/HealthStrip.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useQuotaText } from '../../lib/pricing/quota-format.ts';
import { durationText } from '../../lib/text/dates.ts';
import { type Overview, readHealth } from './calls.ts';
import classes from './Dashboard.module.css';
import { type DashboardQuery, entriesAddress } from './range.ts';

interface TopsProps {
  readonly query: UseQueryResult<Overview>;
  readonly filter: DashboardQuery;
}

interface Sums {
  readonly calls: number;
  readonly errors: number;
  readonly tokens: number;
  readonly p95?: number | null;
  readonly costs?: { readonly margin: number } | undefined;
}

interface Top extends Sums {
  readonly quota: number;
}

/** The parts of a row that all lists share: cost, and a note of calls, tokens, errors and margin. */
function useSums() {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const note = ({ calls, errors, tokens, p95, costs }: Sums) =>
    [
      t('dashboard.note.calls', { count: calls, calls: countText(calls) }),
      t('dashboard.note.tokens', { count: tokens, tokens: countText(tokens) }),
      errors > 0 && t('dashboard.note.errors', { count: errors, errors: countText(errors) }),
      typeof p95 === 'number' && `p95 ${durationText(p95)}`,
      costs !== undefined && t('dashboard.note.margin', { margin: quota(costs.margin) }),
    ]
      .filter(Boolean)
      .join(' · ');
  const cost = (top: Top) => ({ size: top.quota, value: quota(top.quota), note: note(top) });
  return { note, cost };
}

export function TopModels({ query, filter }: TopsProps) {
  const { t } = useTranslation();
  const { cost } = useSums();
  return (
    <TopList
      title={t('dashboard.topModels')}
      query={query}
      rows={({ models }) =>
        models.map((top) => ({
          ...cost(top),
          key: top.model_name,
          name: top.model_name || '-',
          to: entriesAddress(filter, { model: top.model_name }),
        }))
      }
    />
  );
}

export function TopTokens({ query, filter }: TopsProps) {
  const { t } = useTranslation();
  const { note, cost } = useSums();
  const hidesNames = usePrivacy();
  return (
    <TopList
      title={t('dashboard.topTokens')}
      query={query}
      rows={({ tokens }) =>
        tokens.map((top) => ({
          ...cost(top),
          key: `${top.user_id}/${top.token_name}`,
          name: top.token_name || '-',
          to: entriesAddress(filter, {
            token: top.token_name,
            ...(filter.isAdmin && { user: top.username }),
          }),
          note: [filter.isAdmin && !hidesNames && top.username, note(top)]
            .filter(Boolean)
            .join(' · '),
        }))
      }
    />
  );
}

export function TopUsers({ query, filter }: TopsProps) {
  const { t } = useTranslation();
  const { cost } = useSums();
  const hidesNames = usePrivacy();
  return (
    <TopList
      title={t('dashboard.topUsers')}
      query={query}
      rows={({ users }) =>
        users.map((top) => ({
          ...cost(top),
          key: String(top.user_id),
          name: hidesNames ? '•••' : top.username || `#${top.user_id}`,
          to: entriesAddress(filter, { user: top.username }),
        }))
      }
    />
  );
}

/** Cost by channel, and the channel's health. */
export function TopChannels({ query, filter }: TopsProps) {
  const { t } = useTranslation();
  const { note, cost } = useSums();
  const ids = query.data?.channels.map(({ channel }) => channel).filter((id) => id > 0) ?? [];
  const health = useQuery({
    queryKey: dashboardKeys.part('health', ids),
    queryFn: ({ signal }) => readHealth(ids, signal),
    enabled: ids.length > 0,
  });
  const checks = (id: number) =>
    health.data
      ?.find(({ channel_id: channel }) => channel === id)
      ?.outcomes.map((outcome) => ({
        isOk: outcome.ok,
        at: outcome.at_ms / 1000,
        ms: outcome.latency_ms,
        model: outcome.model,
        error: outcome.message,
      })) ?? [];
  return (
    <TopList
      title={t('dashboard.topChannels')}
      query={query}
      rows={({ channels }) =>
        channels.map((top) => ({
          ...cost(top),
          key: String(top.channel),
          name: `#${top.channel} ${top.channel_name}`,
          to: entriesAddress(filter, { channel: top.channel }),
          note: (
            <Group justify="space-between">
              <span>
                {t('dashboard.note.success', { rate: (top.success_rate * 100).toFixed(1) })} ·{' '}
                {note({ ...top, errors: 0 })}
              </span>
              {checks(top.channel).length > 0 && <HealthStrip checks={checks(top.channel)} />}
            </Group>
          ),
        }))
      }
    />
  );
}

interface TopRow {
  readonly key: string;
  readonly name: string;
  /** Link to the log filtered by this row; undefined if no filter finds its entries alone. */
  readonly to: string | undefined;
  readonly size: number;
  readonly value: string;
  readonly note: ReactNode;
}

interface TopListProps {
  readonly title: string;
  readonly query: UseQueryResult<Overview>;
  readonly rows: (overview: Overview) => readonly TopRow[];
}

function TopList({ title, query, rows }: TopListProps) {
  return (
    <TitledCard title={title}>
      <Loaded query={query}>{(overview) => <TopRows rows={rows(overview)} />}</Loaded>
    </TitledCard>
  );
}

/** The rows with the highest cost, with bars; a name links to its log entries. */
function TopRows({ rows }: { readonly rows: readonly TopRow[] }) {
  const { t } = useTranslation();
  const most = Math.max(...rows.map(({ size }) => size), 1);
  if (rows.length === 0)
    return (
      <Dimmed size="sm" py="lg" ta="center">
        {t('part.chart.empty')}
      </Dimmed>
    );
  return (
    <Stack gap={10}>
      {rows.map((row) => (
        <div key={row.key}>
          <Group justify="space-between" gap="sm" wrap="nowrap">
            {row.to === undefined ? (
              <Text truncate>{row.name}</Text>
            ) : (
              <Anchor component={Link} to={row.to} truncate title={row.name}>
                {row.name}
              </Anchor>
            )}
            <Text fw={500} style={{ whiteSpace: 'nowrap' }}>
              {row.value}
            </Text>
          </Group>
          <div className={classes.bar} aria-hidden>
            <span style={{ width: `${(row.size / most) * 100}%` }} />
          </div>
          <Dimmed component="div">{row.note}</Dimmed>
        </div>
      ))}
    </Stack>
  );
}
