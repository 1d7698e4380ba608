import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS, type BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { BudgetFields } from '../../components/budgets/BudgetFields.tsx';
import { type BudgetValues, blankBudget, newBudget } from '../../components/budgets/budget-form.ts';
import { budgets } from '../../components/budgets/calls.ts';
import { SubjectFields } from '../../components/budgets/SubjectFields.tsx';
import { useBudgetForm } from '../../components/budgets/useBudgetForm.ts';
import { FormDrawer } from '../../components/forms/FormDrawer.tsx';
import { useFilledForm } from '../../hooks/useFilledForm.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { zoneName } from '../../lib/text/dates.ts';

interface NewBudgetDrawerProps {
  readonly isOpen: boolean;
  /** The kind that is chosen at first. */
  readonly subject: BudgetSubject;
  readonly onClose: () => void;
}

/** A budget for any subject: the fields are those at the place of the subject. */
export function NewBudgetDrawer({ isOpen, subject, onClose }: NewBudgetDrawerProps) {
  const { t } = useTranslation();
  const blank = () => blankBudget(subject, '', zoneName());
  const form = useBudgetForm(blank());
  useFilledForm(form, isOpen ? subject : undefined, blank);
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('part.budget.add')}
      form={form}
      onSubmit={(values: BudgetValues) => budgets.create(newBudget(values))}
      touches={[budgetKeys]}
      done={() => t('part.budget.saved')}
      submitLabel={t('part.budget.add')}
    >
      <SubjectFields form={form} kinds={BUDGET_SUBJECTS} />
      <BudgetFields form={form} isNew showsMore />
    </FormDrawer>
  );
}
