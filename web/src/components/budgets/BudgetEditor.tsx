import { Button, Fieldset, Group, Stack } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { SideButton } from '../display/SideButton.tsx';
import { ProblemNotice } from '../forms/Form.tsx';
import { BudgetFields } from './BudgetFields.tsx';
import { type BudgetValues, budgetEdit, newBudget } from './budget-form.ts';
import { type Budget, budgets } from './calls.ts';
import { SubjectFields } from './SubjectFields.tsx';
import { useBudgetForm } from './useBudgetForm.ts';

interface BudgetEditorProps {
  /** The budget to change; undefined for a new one. */
  readonly budget: Budget | undefined;
  readonly initial: BudgetValues;
  /** The kinds of subjects to choose from; without them the subject is given. */
  readonly choices?: readonly BudgetSubject[] | undefined;
  readonly onClose: () => void;
}

/** The form of one budget, at its place in a list; it may be inside another form. */
export function BudgetEditor(props: BudgetEditorProps) {
  const { budget, initial, choices, onClose } = props;
  const { t } = useTranslation();
  const [showsMore, setShowsMore] = useState(budget !== undefined);
  const form = useBudgetForm(initial);
  const send = (values: BudgetValues) =>
    budget === undefined
      ? budgets.create(newBudget(values))
      : budgets.edit(budgetEdit(budget.id, values, initial));
  const submission = useSubmit(form, send, {
    touches: [budgetKeys],
    done: () => t('part.budget.saved'),
    onDone: onClose,
    onInvalid: () => setShowsMore(true),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter must not submit the surrounding form.
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.stopPropagation();
    if (event.isDefaultPrevented()) return;
    event.preventDefault();
    void submission.submit();
  };
  return (
    <Fieldset
      variant="default"
      mx={0}
      legend={t(budget === undefined ? 'part.budget.add' : 'part.budget.edit')}
      onKeyDown={onKeyDown}
    >
      <Stack gap="sm">
        <ProblemNotice problem={submission.problem} />
        {choices !== undefined && <SubjectFields form={form} kinds={choices} />}
        <BudgetFields form={form} isNew={budget === undefined} showsMore={showsMore} />
        <Group justify="space-between">
          <Button
            variant="subtle"
            size="xs"
            aria-expanded={showsMore}
            onClick={() => setShowsMore(!showsMore)}
          >
            {t(showsMore ? 'part.budget.less' : 'part.budget.more')}
          </Button>
          <Group>
            <SideButton size="xs" label={t('action.cancel')} onClick={onClose} />
            <Button size="xs" loading={submission.isBusy} onClick={() => void submission.submit()}>
              {t(budget === undefined ? 'part.budget.add' : 'part.budget.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Fieldset>
  );
}
