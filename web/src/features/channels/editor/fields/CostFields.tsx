import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { readMembers, withMember } from '../setting-edit.ts';
import { ColumnField, PlainFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';

/** What the upstream charges: the factor has a field, the JSON also holds rates by model. */
export function CostFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { cost } = form.values;
  const members = readMembers(cost);
  return (
    <>
      <NumberInput
        allowDecimal
        label={t('channel.field.costFactor')}
        description={t('channel.field.costFactorHint')}
        placeholder={t('channel.field.costUnknown')}
        min={0}
        step={0.05}
        disabled={members === undefined}
        value={typeof members?.factor === 'number' ? members.factor : ''}
        onChange={(typed) => {
          if (members === undefined) return;
          const factor = typed === '' ? undefined : Number(typed);
          form.setFieldValue('cost', withMember(members, 'factor', factor));
        }}
      />
      <ColumnField form={form} column="cost" />
      <PlainFields form={form} section="cost" />
    </>
  );
}
