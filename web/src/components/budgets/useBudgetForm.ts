import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../forms/field-errors.ts';
import type { BudgetForm } from './BudgetFields.tsx';
import { type BudgetValues, budgetProblems } from './budget-form.ts';

export function useBudgetForm(initialValues: BudgetValues): BudgetForm {
  const { t } = useTranslation();
  return useForm<BudgetValues>({
    initialValues,
    validate: (values) =>
      fieldErrors(budgetProblems(values), (problem) => t(`part.budget.error.${problem}`)),
  });
}
