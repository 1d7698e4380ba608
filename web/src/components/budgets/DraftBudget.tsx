import { Stack, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { zoneName } from '../../lib/text/dates.ts';
import { BudgetFields, type BudgetForm } from './BudgetFields.tsx';
import { type BudgetValues, blankBudget, newBudget } from './budget-form.ts';
import { budgets } from './calls.ts';

/** No budget until it is switched on. */
export function draftBudget(): BudgetValues {
  return { ...blankBudget('token', 'new', zoneName()), isEnabled: false };
}

/** A first budget inside the form of what it will limit. */
export function DraftBudget({ form }: { readonly form: BudgetForm }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Switch
        {...form.getInputProps('isEnabled', { type: 'checkbox' })}
        label={t('part.budget.draft')}
        description={t('part.budget.draftHint')}
      />
      {form.getValues().isEnabled && <BudgetFields form={form} isNew showsMore={false} />}
    </Stack>
  );
}

/** Gives each of these new API tokens the budget, if it is switched on. */
export async function saveDraftBudget(
  values: BudgetValues,
  tokens: readonly { readonly id: number }[],
): Promise<void> {
  if (!values.isEnabled) return;
  for (const { id } of tokens)
    await budgets.create(newBudget({ ...values, subject_id: String(id) }));
}
