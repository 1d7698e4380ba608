import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAmountText } from '../../components/budgets/BudgetBar.tsx';
import { entriesOf } from '../../components/budgets/budget-entries.ts';
import { type Budget, budgets } from '../../components/budgets/calls.ts';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { dateTimeText } from '../../lib/text/dates.ts';

const SHOWN = 30;

/** The latest windows of a budget, with what each has spent. */
export function BudgetWindows({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const { id } = budget;
  const { data } = useQuery({
    queryKey: budgetKeys.part('windows', id),
    queryFn: ({ signal }) => budgets.windows({ id, p: 1, page_size: SHOWN }, { signal }),
  });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-label={t('budget.windows')}>
      <Text size="sm" fw={600} mb={4}>
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
