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

type Kind = 'models' | 'tokens' | 'users' | 'channels';

const TITLES = {
  models: 'dashboard.topModels',
  tokens: 'dashboard.topTokens',
  users: 'dashboard.topUsers',
  channels: 'dashboard.topChannels',
} as const;

interface TopsProps {
  readonly kind: Kind;
  readonly query: UseQueryResult<Overview>;
  readonly filter: DashboardQuery;
}

/** What cost the most, of one kind. */
export function Tops({ kind, query, filter }: TopsProps) {
  const { t } = useTranslation();
  const rows = useTopRows(filter)[kind];
  return (
    <TitledCard title={t(TITLES[kind])}>
      <Loaded query={query}>{(overview) => <TopRows rows={rows(overview)} />}</Loaded>
    </TitledCard>
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

type RowsOf = Record<Kind, (overview: Overview) => readonly TopRow[]>;

function useTopRows(filter: DashboardQuery): RowsOf {
  const { t } = useTranslation();
  const { note, cost } = useSums();
  const hidesNames = usePrivacy();
  return {
    models: ({ models }) =>
      models.map((top) => ({
        ...cost(top),
        key: top.model_name,
        name: top.model_name || '-',
        to: entriesAddress(filter, { model: top.model_name }),
      })),
    tokens: ({ tokens }) =>
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
      })),
    users: ({ users }) =>
      users.map((top) => ({
        ...cost(top),
        key: String(top.user_id),
        name: hidesNames ? '•••' : top.username || `#${top.user_id}`,
        to: entriesAddress(filter, { user: top.username }),
      })),
    channels: ({ channels }) => {
      const ids = channels.map(({ channel }) => channel).filter((id) => id > 0);
      return channels.map((top) => ({
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
            <Health ids={ids} id={top.channel} />
          </Group>
        ),
      }));
    },
  };
}

/** The outcomes of one channel, from the one request for all of them. */
function Health({ ids, id }: { readonly ids: readonly number[]; readonly id: number }) {
  const { data } = useQuery({
    queryKey: dashboardKeys.part('health', ids),
    queryFn: ({ signal }) => readHealth(ids, signal),
    enabled: ids.length > 0,
  });
  const outcomes = data?.find(({ channel_id: channel }) => channel === id)?.outcomes ?? [];
  const checks = outcomes.map((outcome) => ({
    isOk: outcome.ok,
    at: outcome.at_ms / 1000,
    ms: outcome.latency_ms,
    model: outcome.model,
    error: outcome.message,
  }));
  return checks.length > 0 && <HealthStrip checks={checks} />;
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
