import {
  Collapse,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import {
  BUDGET_ANCHORS,
  BUDGET_FULL_ACTIONS,
  BUDGET_MEASURES,
  BUDGET_PERIODS,
} from '../../../../src/domain/budgets/budget.ts';
import { QuotaInput } from '../forms/QuotaInput.tsx';
import type { BudgetValues } from './budget-form.ts';

export type BudgetForm = UseFormReturnType<BudgetValues>;

interface BudgetFieldsProps {
  readonly form: BudgetForm;
  /** What is counted is fixed once something was. */
  readonly isNew: boolean;
  readonly showsMore: boolean;
}

/** Suggested limits in dollars. */
const DOLLAR_PRESETS = [1, 5, 20, 100] as const;

export function BudgetFields({ form, isNew, showsMore }: BudgetFieldsProps) {
  const { t } = useTranslation();
  const values = form.getValues();
  const limit = {
    label: t('part.budget.limit'),
    value: values.limit_amount,
    error: form.errors.limit_amount,
    min: 1,
  };
  return (
    <>
      <Pair>
        {values.measure === 'units' ? (
          <QuotaInput
            {...limit}
            picks={DOLLAR_PRESETS}
            onChange={(units) => form.setFieldValue('limit_amount', units)}
          />
        ) : (
          <NumberInput
            {...limit}
            clampBehavior="none"
            thousandSeparator=","
            onChange={(typed) => form.setFieldValue('limit_amount', Number(typed))}
          />
        )}
        <Select
          {...form.getInputProps('period')}
          label={t('part.budget.per')}
          data={BUDGET_PERIODS.map((value) => ({ value, label: t(`part.budget.period.${value}`) }))}
        />
      </Pair>
      <Collapse expanded={showsMore}>
        <MoreFields form={form} isNew={isNew} />
      </Collapse>
    </>
  );
}

function MoreFields({ form, isNew }: Omit<BudgetFieldsProps, 'showsMore'>) {
  const { t } = useTranslation();
  const { period, anchor } = form.getValues();
  return (
    <Stack gap="sm">
      <Pair>
        <Select
          {...form.getInputProps('measure')}
          label={t('part.budget.measure')}
          disabled={!isNew}
          data={BUDGET_MEASURES.map((value) => ({
            value,
            label: t(`part.budget.measures.${value}`),
          }))}
        />
        <NumberInput
          {...form.getInputProps('warn_at')}
          label={t('part.budget.warnAt')}
          suffix="%"
          min={0}
          max={100}
          clampBehavior="none"
          onChange={(typed) => form.setFieldValue('warn_at', Number(typed))}
        />
      </Pair>
      <TagsInput
        {...form.getInputProps('notify_at')}
        value={[...form.getValues().notify_at]}
        label={t('part.budget.notifyAt')}
      />
      {period !== 'total' && (
        <Pair>
          <Select
            {...form.getInputProps('anchor')}
            label={t('part.budget.anchor')}
            data={BUDGET_ANCHORS.map((value) => ({
              value,
              label: t(`part.budget.anchors.${value}`),
            }))}
          />
          {anchor === 'calendar' && (
            <Select
              {...form.getInputProps('time_zone')}
              label={t('part.budget.timeZone')}
              searchable
              limit={50}
              data={zones(form.getValues().time_zone)}
            />
          )}
        </Pair>
      )}
      <TagsInput
        {...form.getInputProps('models')}
        value={[...form.getValues().models]}
        label={t('common.models')}
        description={t('part.budget.modelsHint')}
        clearable
      />
      <FullFields form={form} />
      <Switch
        {...form.getInputProps('shadow', { type: 'checkbox' })}
        label={t('part.budget.shadow')}
        description={t('part.budget.shadowHint')}
      />
      {!isNew && (
        <Switch
          {...form.getInputProps('isEnabled', { type: 'checkbox' })}
          label={t('part.budget.enabled')}
        />
      )}
    </Stack>
  );
}

function FullFields({ form }: Pick<BudgetFieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { on_full } = form.getValues();
  return (
    <Pair>
      <Select
        {...form.getInputProps('on_full')}
        label={t('part.budget.onFull')}
        data={BUDGET_FULL_ACTIONS.map((value) => ({
          value,
          label: t(`part.budget.full.${value}`),
        }))}
      />
      {on_full === 'downgrade' && (
        <TextInput
          {...form.getInputProps('downgrade_model')}
          label={t('part.budget.downgradeModel')}
          autoComplete="off"
        />
      )}
    </Pair>
  );
}

/** Two fields side by side, in columns of the same width as those of any other pair. */
function Pair({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid type="container" cols={{ base: 1, '340px': 2 }} spacing="sm">
      {children}
    </SimpleGrid>
  );
}

/** UTC is stored as an empty name. */
function zones(chosen: string): { value: string; label: string }[] {
  const known = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');
  const names = known.includes(chosen) || chosen === '' ? known : [chosen, ...known];
  return [{ value: '', label: 'UTC' }, ...names.map((name) => ({ value: name, label: name }))];
}
