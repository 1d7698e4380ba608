import { Group, NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import ipaddr from 'ipaddr.js';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { CapInputs } from '../../../components/forms/CapInputs.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { fieldOf } from '../../../components/forms/field-of.ts';
import { Picks } from '../../../components/forms/Picks.tsx';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { ExpiryInput } from './ExpiryInput.tsx';
import { GroupInput } from './GroupInput.tsx';
import { TokenModelsInput } from './TokenModelsInput.tsx';
import {
  BLANK_TOKEN,
  batchNames,
  COUNT_PRESETS,
  DOLLAR_PRESETS,
  MAX_TOKENS,
  type TokenValues,
  tokenProblems,
} from './token-form.ts';

interface TokenFieldsProps {
  readonly form: TokenForm;
  /** The count can be set only for new tokens. */
  readonly isNew: boolean;
}

export function TokenFields({ form, isNew }: TokenFieldsProps) {
  const { t } = useTranslation();
  const values = form.getValues();
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t('common.name')}
        placeholder={t('token.nameHint')}
        withAsterisk
        autoComplete="off"
        {...(isNew && { 'data-autofocus': true })}
      />
      {isNew && <CountInput form={form} />}
      <ExpiryInput {...fieldOf(form, 'expired_time')} />
      <Stack gap="xs">
        <QuotaInput
          label={t('common.quota')}
          picks={DOLLAR_PRESETS}
          disabled={values.unlimited_quota}
          {...fieldOf(form, 'remain_quota')}
        />
        <Switch
          {...form.getInputProps('unlimited_quota', { type: 'checkbox' })}
          label={t('token.isUnlimited')}
          description={t('token.isUnlimitedHint')}
        />
      </Stack>
      <GroupInput {...fieldOf(form, 'group')} />
      <Stack gap="xs">
        <Switch
          {...form.getInputProps('model_limits_enabled', { type: 'checkbox' })}
          label={t('token.limitsModels')}
        />
        {values.model_limits_enabled && <TokenModelsInput {...fieldOf(form, 'model_limits')} />}
      </Stack>
      <Textarea
        {...form.getInputProps('allow_ips')}
        label={t('token.allowIps')}
        description={t('token.allowIpsHint')}
        placeholder={'203.0.113.7\n10.0.0.0/8'}
        minRows={2}
        maxRows={8}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <RateFields form={form} />
      <CapInputs
        values={values}
        errors={form.errors}
        onChange={(field, value) => form.setFieldValue(field, value)}
      />
    </>
  );
}

function CountInput({ form }: Pick<TokenFieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { name, count } = form.getValues();
  const names = count > 1 && name.trim() !== '' ? batchNames(name, count) : [];
  return (
    <Stack gap={6}>
      <NumberInput
        {...form.getInputProps('count')}
        label={t('token.count')}
        description={t('token.countHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        min={1}
        max={MAX_TOKENS}
        clampBehavior="none"
        onChange={(count) => form.setFieldValue('count', Number(count))}
      />
      <Picks
        label={t('token.count')}
        picks={COUNT_PRESETS}
        value={count}
        text={(pick) => pick}
        onPick={(pick) => form.setFieldValue('count', pick)}
      />
      {names.length > 0 && (
        <Dimmed ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {names.join(', ')}
          {count > names.length && ` … ${t('common.moreCount', { count: count - names.length })}`}
        </Dimmed>
      )}
    </Stack>
  );
}

const RATE_FIELDS = ['rate_limit_period', 'rate_limit_count', 'rate_limit_success'] as const;

function RateFields({ form }: Pick<TokenFieldsProps, 'form'>) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Switch
        {...form.getInputProps('rate_limit_enabled', { type: 'checkbox' })}
        label={t('token.limitsRate')}
        description={t('token.limitsRateHint')}
      />
      {form.getValues().rate_limit_enabled && (
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          {RATE_FIELDS.map((field) => (
            <NumberInput
              key={field}
              {...form.getInputProps(field)}
              label={t(`token.${field}`)}
              min={field === 'rate_limit_period' ? 1 : 0}
              miw={140}
              clampBehavior="none"
              thousandSeparator=","
              onChange={(typed) => form.setFieldValue(field, Number(typed))}
            />
          ))}
        </Group>
      )}
    </Stack>
  );
}

type TokenForm = UseFormReturnType<TokenValues>;

/** @param isNew an edited token may keep an unchanged expiry that has passed. */
export function useTokenForm(isNew: boolean): TokenForm {
  const { t } = useTranslation();
  const form = useForm<TokenValues>({
    initialValues: BLANK_TOKEN,
    validate: (values) => {
      const problems = tokenProblems(values, {
        nowSec: Date.now() / 1000,
        before: isNew ? undefined : form.getInitialValues(),
        isAddress,
      });
      return fieldErrors(problems, (problem) => t(`token.error.${problem}`));
    },
  });
  return form;
}

function isAddress(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}
