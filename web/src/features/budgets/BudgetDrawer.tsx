import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAmountText } from '../../components/budgets/BudgetBar.tsx';
import { BudgetItem } from '../../components/budgets/BudgetItem.tsx';
import { entriesOf } from '../../components/budgets/budget-entries.ts';
import { type Budget, budgets } from '../../components/budgets/calls.ts';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { useRecord } from '../../hooks/useRecord.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { dateTimeText } from '../../lib/text/dates.ts';

/** A budget beside the list, and what is open of it at first. */
export interface OpenBudget {
  /** '' is closed. */
  readonly id: string;
  readonly opens?: 'edit' | 'raise' | undefined;
}

interface BudgetDrawerProps {
  readonly opened: OpenBudget;
  readonly ids: readonly string[];
  readonly onId: (id: string) => void;
}

/** One budget beside the list, where it is raised, edited and deleted, with its latest windows. */
export function BudgetDrawer({ opened: { id, opens }, ids, onId }: BudgetDrawerProps) {
  const { t } = useTranslation();
  const query = useRecord(budgetKeys, id, budgets.get);
  const title = (budget: Budget) =>
    [t(`part.budget.subject.${budget.subject}`), budget.subject_name].join(' ').trim();
  return (
    <DetailDrawer
      id={id}
      ids={ids}
      onId={onId}
      title={query.data === undefined ? t('part.budget.list') : title(query.data)}
      width={520}
    >
      {id !== '' && (
        <Loaded query={query}>
          {(budget) => (
            <Stack gap="lg">
              <BudgetItem
                key={`${budget.id} ${opens}`}
                budget={budget}
                isNamed={false}
                opens={opens}
                onRemoved={() => onId('')}
              />
              <BudgetWindows budget={budget} />
            </Stack>
          )}
        </Loaded>
      )}
    </DetailDrawer>
  );
}

const MOST_WINDOWS = 30;

/** The latest windows of a budget, with what each has spent. */
function BudgetWindows({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const { id } = budget;
  const { data } = useQuery({
    queryKey: budgetKeys.part('windows', id),
    queryFn: ({ signal }) => budgets.windows({ id, p: 1, page_size: MOST_WINDOWS }, { signal }),
  });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-label={t('budget.windows')}>
      <Text fw={600} mb={4}>
        {t('budget.windows')}
      </Text>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('budget.windowStart')}</Table.Th>
            <Table.Th>{t('budget.windowEnd')}</Table.Th>
            <Table.Th ta="right">{t('budget.used')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.items.map((window) => {
            const spent = amountText(window.measure, window.spent_amount);
            const entries = entriesOf(budget, window);
            return (
              <Table.Tr key={window.starts_at}>
                <Table.Td>{dateTimeText(window.starts_at)}</Table.Td>
                <Table.Td>{window.resets_at > 0 ? dateTimeText(window.resets_at) : '-'}</Table.Td>
                <Table.Td ta="right">
                  {entries === undefined ? spent : <EntriesLink {...entries}>{spent}</EntriesLink>}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </section>
  );
}
