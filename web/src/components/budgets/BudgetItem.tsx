import { Group, Stack, Text } from '@mantine/core';
import { IconArrowBarToUp, IconEdit, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../hooks/useAction.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { IconButton } from '../display/IconButton.tsx';
import { BudgetBar } from './BudgetBar.tsx';
import { BudgetEditor } from './BudgetEditor.tsx';
import { BudgetRaise } from './BudgetRaise.tsx';
import { budgetValues } from './budget-form.ts';
import { type Budget, budgets } from './calls.ts';

interface BudgetItemProps {
  readonly budget: Budget;
  /** Shows the name of what it is about. */
  readonly isNamed: boolean;
  /** What is open at first. */
  readonly opens?: 'edit' | 'raise' | undefined;
  readonly onRemoved?: () => void;
}

/** A budget with its current window; it is raised, edited and deleted at its place. */
export function BudgetItem({ budget, isNamed, opens, onRemoved }: BudgetItemProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(opens);
  const remove = useBudgetRemoval(onRemoved);
  const close = () => setOpen(undefined);
  if (open === 'edit')
    return <BudgetEditor budget={budget} initial={budgetValues(budget)} onClose={close} />;
  return (
    <Stack gap={2}>
      {isNamed && <Text style={{ overflowWrap: 'anywhere' }}>{budget.subject_name}</Text>}
      <Group wrap="nowrap" align="flex-start">
        <BudgetBar budget={budget} />
        {budget.is_editable && (
          <Group gap={2} wrap="nowrap">
            {mayRaise(budget) && (
              <IconButton
                label={t('part.budget.raise')}
                onClick={() => setOpen(open ? undefined : 'raise')}
              >
                <IconArrowBarToUp size={16} />
              </IconButton>
            )}
            <IconButton label={t('part.budget.edit')} onClick={() => setOpen('edit')}>
              <IconEdit size={16} />
            </IconButton>
            <IconButton label={t('part.budget.delete')} tone="red" onClick={() => remove(budget)}>
              <IconTrash size={16} />
            </IconButton>
          </Group>
        )}
      </Group>
      {open === 'raise' && <BudgetRaise budget={budget} onClose={close} />}
      {!budget.is_editable && <Dimmed>{t('part.budget.fixed')}</Dimmed>}
    </Stack>
  );
}

/** Asks before it deletes a budget. */
export function useBudgetRemoval(onRemoved?: () => void): (budget: Budget) => void {
  const { t } = useTranslation();
  return useAction(({ id }: Budget) => budgets.remove({ id }), {
    touches: [budgetKeys],
    done: () => t('part.budget.deleted'),
    onDone: () => onRemoved?.(),
    confirm: () => ({
      title: t('part.budget.askDelete'),
      text: t('part.budget.deleteHint'),
      verb: t('action.delete'),
      isDanger: true,
    }),
  }).run;
}

/** A limit for all time, or one whose period has not begun, is edited instead. */
export function mayRaise({ period, resets_at }: Budget): boolean {
  return period !== 'total' && resets_at > 0;
}
