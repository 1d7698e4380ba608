import { SegmentedControl, Stack, Text, Title } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import type { Column } from '../../components/data-table/columns.ts';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { BalanceChange } from '../../components/display/BalanceChange.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { type OnPage, useList } from '../../hooks/useList.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { field, useUrlState } from '../../lib/browser/url-state.ts';
import { type Log, ownLogs } from './calls.ts';
import { Orders } from './Orders.tsx';

const TABS = ['topUp', 'checkIn', 'orders'] as const;
const FIELDS = { tab: field.tab(TABS, 'topUp'), page: field.page() };
const TYPES = { topUp: LOG_TYPE.top_up, checkIn: LOG_TYPE.check_in } as const;

/** The history of top-ups and check-ins, and the payment orders. */
export function HistoryCard() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(FIELDS);
  const { tab, page } = state;
  return (
    <Stack component="section" gap="sm" aria-label={t('wallet.history.title')}>
      <Title order={2} fz={14}>
        {t('wallet.history.title')}
      </Title>
      <SegmentedControl
        aria-label={t('wallet.history.title')}
        style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
        value={tab}
        onChange={(chosen) =>
          set({ tab: TABS.find((name) => name === chosen) ?? 'topUp', page: 1 })
        }
        data={TABS.map((value) => ({ value, label: t(`wallet.history.${value}`) }))}
      />
      {tab === 'orders' ? (
        <Orders page={page} onPage={(page, how) => set({ page }, how)} />
      ) : (
        <Entries key={tab} tab={tab} page={page} onPage={(page, how) => set({ page }, how)} />
      )}
    </Stack>
  );
}

interface PageProps {
  readonly page: number;
  readonly onPage: OnPage;
}

function Entries({ tab, page, onPage }: PageProps & { readonly tab: keyof typeof TYPES }) {
  const { t } = useTranslation();
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const query = { type: TYPES[tab], p: page, page_size: pageSize };
  const list = useList({
    key: walletKeys.list(query),
    fetch: (signal) => ownLogs.listOwn(query, { signal }),
    onPage,
    setPageSize,
  });
  return (
    <DataTable
      {...list.tableProps}
      id="wallet"
      label={t(`wallet.history.${tab}`)}
      rowId={(entry) => entry.id}
      columns={entryColumns(t)}
      empty={<Empty title={t(`wallet.history.none.${tab}`)} />}
    />
  );
}

function entryColumns(t: TFunction): readonly Column<Log>[] {
  return [
    {
      key: 'content',
      title: t('wallet.history.content'),
      card: 'title',
      render: ({ content }) => (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {content}
        </Text>
      ),
    },
    {
      key: 'quota',
      title: t('wallet.history.amount'),
      align: 'right',
      width: 160,
      render: ({ type, quota }) =>
        quota === 0 ? '-' : <BalanceChange type={type} quota={quota} isPrivate />,
    },
    {
      key: 'created_at',
      title: t('wallet.history.time'),
      width: 200,
      render: ({ created_at }) => <FullTime at={created_at} />,
    },
  ];
}
