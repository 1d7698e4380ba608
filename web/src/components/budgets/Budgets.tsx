import { Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBarToUp, IconEdit, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { useAction } from '../../hooks/useAction.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { zoneName } from '../../lib/text/dates.ts';
import { IconButton } from '../display/IconButton.tsx';
import { Loaded, Loading } from '../layout/list-states.tsx';
import { BudgetBar } from './BudgetBar.tsx';
import { BudgetEditor } from './BudgetEditor.tsx';
import { BudgetRaise } from './BudgetRaise.tsx';
import { blankBudget, budgetValues } from './budget-form.ts';
import { type Budget, budgets } from './calls.ts';

interface BudgetsProps {
  readonly subject: BudgetSubject;
  /** Undefined for the budgets of all subjects of the kind. */
  readonly subjectId?: string;
  /** Names to choose the subject of a new budget from. */
  readonly choices?: readonly string[];
  /** False below a heading of the page. */
  readonly hasTitle?: boolean;
}

const LINE_PX = 18;

/** The budgets of a subject with their current windows; each is changed at its place. */
export function Budgets({ subject, subjectId, choices, hasTitle = true }: BudgetsProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<number | 'new' | undefined>(undefined);
  const filter = { subject, subject_id: subjectId, page_size: 100 };
  const query = useQuery({
    queryKey: budgetKeys.list(filter),
    queryFn: ({ signal }) => budgets.list(filter, { signal }),
  });
  const close = () => setOpen(undefined);
  const remove = useRemoval();
  return (
    <Stack
      gap="sm"
      {...(hasTitle && { component: 'section', 'aria-label': t('part.budget.list') })}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {hasTitle && t('part.budget.list')}
        </Text>
        {open !== 'new' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setOpen('new')}
          >
            {t('part.budget.add')}
          </Button>
        )}
      </Group>
      {open === 'new' && (
        <BudgetEditor
          subject={subject}
          budget={undefined}
          initial={blankBudget(subjectId ?? '', zoneName())}
          choices={choices}
          onClose={close}
        />
      )}
      {/* As high as the line of an empty list, so that what is below stays where it is. */}
      <Stack gap="sm" mih={LINE_PX}>
        <Loaded query={query} loading={<Loading lines={1} height={LINE_PX} />}>
          {({ items }) => (
            <>
              {items.length === 0 && open !== 'new' && (
                <Text size="xs" c="dimmed" lh={`${LINE_PX}px`}>
                  {t('part.budget.none')}
                </Text>
              )}
              {items.map((budget) =>
                open === budget.id ? (
                  <BudgetEditor
                    key={budget.id}
                    subject={subject}
                    budget={budget}
                    initial={budgetValues(budget)}
                    onClose={close}
                  />
                ) : (
                  <BudgetRow
                    key={budget.id}
                    budget={budget}
                    isNamed={subjectId === undefined}
                    onEdit={() => setOpen(budget.id)}
                    onDelete={() => remove.run(budget)}
                  />
                ),
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </Stack>
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

interface BudgetRowProps {
  readonly budget: Budget;
  readonly isNamed: boolean;
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
