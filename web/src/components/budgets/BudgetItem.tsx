import { Group, Stack, Text } from '@mantine/core';
import { IconArrowBarToUp, IconEdit, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../hooks/useAction.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
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
}

/** A budget with its current window; it is raised, edited and deleted at its place. */
export function BudgetItem({ budget, isNamed }: BudgetItemProps) {
  const [isEditing, setEditing] = useState(false);
  const remove = useRemoval();
  return isEditing ? (
    <BudgetEditor
      subject={budget.subject}
      budget={budget}
      initial={budgetValues(budget)}
      onClose={() => setEditing(false)}
    />
  ) : (
    <BudgetRow
      budget={budget}
      isNamed={isNamed}
      onEdit={() => setEditing(true)}
      onDelete={() => remove.run(budget)}
    />
  );
}

function useRemoval() {
  const { t } = useTranslation();
  return useAction(({ id }: Budget) => budgets.remove({ id }), {
    touches: [budgetKeys],
    done: () => t('part.budget.deleted'),
    confirm: () => ({
      title: t('part.budget.askDelete'),
      text: t('part.budget.deleteHint'),
      verb: t('action.delete'),
      isDanger: true,
    }),
  });
}

interface BudgetRowProps extends BudgetItemProps {
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function BudgetRow({ budget, isNamed, onEdit, onDelete }: BudgetRowProps) {
  const { t } = useTranslation();
  const [isRaising, setRaising] = useState(false);
  // A limit for all time is edited instead.
  const mayRaise = budget.period !== 'total' && budget.resets_at > 0;
  return (
    <Stack gap={2}>
      {isNamed && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {budget.subject_name}
        </Text>
      )}
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <BudgetBar budget={budget} />
        {budget.is_editable && (
          <Group gap={2} wrap="nowrap">
            {mayRaise && (
              <IconButton label={t('part.budget.raise')} onClick={() => setRaising(!isRaising)}>
                <IconArrowBarToUp size={16} />
              </IconButton>
            )}
            <IconButton label={t('part.budget.edit')} onClick={onEdit}>
              <IconEdit size={16} />
            </IconButton>
            <IconButton label={t('part.budget.delete')} tone="red" onClick={onDelete}>
              <IconTrash size={16} />
            </IconButton>
          </Group>
        )}
      </Group>
      {isRaising && <BudgetRaise budget={budget} onClose={() => setRaising(false)} />}
      {!budget.is_editable && (
        <Text size="xs" c="dimmed">
          {t('part.budget.fixed')}
        </Text>
      )}
    </Stack>
  );
}
