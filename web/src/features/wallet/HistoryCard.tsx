import { SegmentedControl, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { field, useUrlState } from '../../lib/browser/url-state.ts';
import { Orders } from './Orders.tsx';
import { StatementView } from './statement/StatementView.tsx';

const TABS = ['statement', 'orders'] as const;
const FIELDS = { tab: field.tab(TABS, 'statement'), page: field.page(), month: field.text() };

/** The statement of a month, and the payment orders. */
export function HistoryCard() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(FIELDS);
  const { tab, page, month } = state;
  return (
    <Stack component="section" gap="sm" aria-label={t('wallet.history.title')}>
      <Title order={2} fz={14} data-screen-only>
        {t('wallet.history.title')}
      </Title>
      <SegmentedControl
        data-screen-only
        aria-label={t('wallet.history.title')}
        style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
        value={tab}
        onChange={(chosen) =>
          set({ tab: TABS.find((name) => name === chosen) ?? 'statement', page: 1 })
        }
        data={TABS.map((value) => ({ value, label: t(`wallet.history.${value}`) }))}
      />
      {tab === 'orders' ? (
        <Orders page={page} onPage={(page, how) => set({ page }, how)} />
      ) : (
        <StatementView month={month} onMonth={(month) => set({ month })} />
      )}
    </Stack>
  );
}
