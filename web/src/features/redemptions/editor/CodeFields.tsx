import { NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { MAX_CODES } from '../../../../../src/api/billing/redemption.ts';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { fieldOf } from '../../../components/forms/field-of.ts';
import { MomentInput } from '../../../components/forms/MomentInput.tsx';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import {
  BLANK_CODE,
  type CodeValues,
  codeProblems,
  MAX_NAME_LENGTH,
  QUOTA_PRESETS,
  UNLIMITED,
} from './code-form.ts';

interface CodeFieldsProps {
  readonly form: UseFormReturnType<CodeValues>;
  /** Count, key and kind can be set only for a new code. */
  readonly isNew: boolean;
}

export function CodeFields({ form, isNew }: CodeFieldsProps) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const { quota, count, is_gift } = form.getValues();
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t('common.name')}
        {...(isNew && {
          description: t('redemption.nameHint'),
          placeholder: quotaText(quota).slice(0, MAX_NAME_LENGTH),
          'data-autofocus': true,
        })}
        autoComplete="off"
      />
      <QuotaInput label={t('common.quota')} picks={QUOTA_PRESETS} {...fieldOf(form, 'quota')} />
      {isNew && (
        <NumberInput
          {...form.getInputProps('count')}
          label={t('redemption.howMany')}
          description={t('redemption.howManyHint', { most: MAX_CODES })}
          min={1}
          max={MAX_CODES}
          clampBehavior="none"
        />
      )}
      {isNew && count === 1 && (
        <TextInput
          {...form.getInputProps('key')}
          label={t('redemption.ownKey')}
          description={t('redemption.ownKeyHint')}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      )}
      {isNew && (
        <Switch
          {...form.getInputProps('is_gift', { type: 'checkbox' })}
          label={t('redemption.isGift')}
          description={t('redemption.isGiftHint')}
        />
      )}
      {isNew && is_gift && (
        <NumberInput
          {...form.getInputProps('max_uses')}
          label={t('redemption.maxUses')}
          description={t('redemption.maxUsesHint')}
          min={UNLIMITED}
          clampBehavior="none"
          onChange={(uses) =>
            form.setFieldValue('max_uses', uses === '' ? UNLIMITED : Number(uses))
          }
        />
      )}
      <Window form={form} />
    </>
  );
}

function Window({ form }: Pick<CodeFieldsProps, 'form'>) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <MomentInput
        isWide
        {...fieldOf(form, 'valid_from')}
        label={t('redemption.validFrom')}
        placeholder={t('redemption.fromNow')}
      />
      <MomentInput
        isWide
        {...fieldOf(form, 'valid_until')}
        label={t('redemption.validUntil')}
        placeholder={t('redemption.never')}
      />
    </SimpleGrid>
  );
}

export function useCodeForm(isNew: boolean) {
  const { t } = useTranslation();
  return useForm<CodeValues>({
    initialValues: BLANK_CODE,
    validate: (values) =>
      fieldErrors(codeProblems(values, isNew), (problem) => t(`redemption.error.${problem}`)),
  });
}
