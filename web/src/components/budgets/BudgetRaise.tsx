import { Button, Fieldset, Group, NumberInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../hooks/useAction.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { QuotaInput } from '../forms/QuotaInput.tsx';
import { type Budget, budgets } from './calls.ts';

interface BudgetRaiseProps {
  readonly budget: Budget;
  readonly onClose: () => void;
}

/** Adds to the limit of a budget until its current window ends; 0 takes it back. */
export function BudgetRaise({ budget, onClose }: BudgetRaiseProps) {
  const { t } = useTranslation();
  const { id, measure, raised_amount } = budget;
  const [amount, setAmount] = useState(raised_amount || budget.limit_amount);
  const raise = useAction(() => budgets.raise({ id, amount }), {
    touches: [budgetKeys],
    done: () => t('part.budget.saved'),
    onDone: onClose,
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter must not submit the surrounding form.
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.stopPropagation();
    event.preventDefault();
    raise.mutate(undefined);
  };
  const input = { label: t('part.budget.raiseBy'), miw: 160, value: amount } as const;
  return (
    <Fieldset variant="default" mx={0} legend={t('part.budget.raise')} onKeyDown={onKeyDown}>
      {measure === 'units' ? (
        <QuotaInput {...input} onChange={setAmount} />
      ) : (
        <NumberInput
          {...input}
          min={0}
          thousandSeparator=","
          onChange={(typed) => setAmount(Number(typed))}
        />
      )}
      <Dimmed mt={4}>{t('part.budget.raiseHint')}</Dimmed>
      <Group justify="flex-end" mt="xs">
        <SideButton size="xs" label={t('action.cancel')} onClick={onClose} />
        <Button size="xs" loading={raise.isPending} onClick={() => raise.mutate(undefined)}>
          {t('part.budget.raise')}
        </Button>
      </Group>
    </Fieldset>
  );
}
