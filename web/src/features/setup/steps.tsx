/** The four steps of the first-run set-up. */

import {
  Checkbox,
  DataList,
  Group,
  NativeSelect,
  PasswordInput,
  Progress,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconDatabase } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Notice } from '../../components/display/Notice.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { CapsLockHint } from '../../components/identity/CapsLockHint.tsx';
import { PasswordRules } from '../../components/identity/PasswordRules.tsx';
import { LANGUAGES } from '../../lib/text/texts.ts';
import { SETUP_MODES, type SetupForm, type SetupState, type SetupValues } from './form.ts';
import classes from './steps.module.css';
import { passwordStrength } from './strength.ts';

const DATABASES = { sqlite: 'SQLite', mysql: 'MySQL', postgres: 'PostgreSQL', '': '-' } as const;

interface StepProps {
  readonly form: SetupForm;
}

export function DatabaseStep({ form, state }: StepProps & { readonly state: SetupState }) {
  const { t } = useTranslation();
  return (
    <>
      <Group>
        <Text>{t('setup.step.database')}</Text>
        <Tag tone="blue" icon={<IconDatabase size={12} aria-hidden />}>
          {DATABASES[state.database_type]}
        </Tag>
      </Group>
      {state.database_type === 'sqlite' ? (
        <Notice tone="yellow">{t('setup.sqlite')}</Notice>
      ) : (
        <Notice tone="green">{t('setup.serverDatabase')}</Notice>
      )}
      {state.code_needed && (
        <TextInput
          label={t('setup.code')}
          description={t('setup.codeHint')}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('code')}
        />
      )}
    </>
  );
}

export function AdminStep({ form }: StepProps) {
  const { t } = useTranslation();
  const { password, confirmPassword } = form.values;
  const strength = passwordStrength(password);
  return (
    <>
      <TextInput
        label={t('setup.username')}
        autoComplete="username"
        autoCapitalize="none"
        maxLength={12}
        {...form.getInputProps('username')}
      />
      <Stack gap={6}>
        <PasswordInput label={t('common.password')} {...form.getInputProps('password')} />
        <Group wrap="nowrap">
          <Progress
            flex={1}
            size={4}
            value={(strength / 4) * 100}
            color={STRENGTH_COLOURS[strength] ?? 'danger'}
            aria-label={t('setup.strength')}
          />
          <Dimmed miw={60} ta="right">
            {password === '' ? t('setup.strength') : t(`setup.strength.${strength}`)}
          </Dimmed>
        </Group>
      </Stack>
      <PasswordInput
        label={t('common.confirmPassword')}
        {...form.getInputProps('confirmPassword')}
      />
      <PasswordRules password={password} again={confirmPassword} />
      <CapsLockHint />
    </>
  );
}

const STRENGTH_COLOURS = ['danger', 'danger', 'yellow.8', 'success', 'success'] as const;

export function ModeStep({ form }: StepProps) {
  const { t } = useTranslation();
  return (
    <>
      <ModeChoice form={form} />
      <LanguageChoice form={form} />
      <TextInput
        label={t('setup.address')}
        description={t('setup.addressHint')}
        type="url"
        autoComplete="off"
        {...form.getInputProps('ServerAddress')}
      />
    </>
  );
}

function LanguageChoice({ form }: StepProps) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t('setup.language')}
      description={t('setup.languageHint')}
      data={Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))}
      {...form.getInputProps('DefaultLanguage')}
    />
  );
}

function ModeChoice({ form }: StepProps) {
  const { t } = useTranslation();
  return (
    <Radio.Group
      label={t('setup.mode')}
      value={form.values.mode}
      onChange={(mode) => form.setFieldValue('mode', mode as SetupValues['mode'])} // one of the cards below
    >
      <Stack gap="xs" mt="xs">
        {SETUP_MODES.map((mode) => (
          <Radio.Card key={mode} value={mode} className={classes.mode} radius="md">
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator mt={2} />
              <div>
                <Text fw={600}>{t(`setup.mode.${mode}`)}</Text>
                <Dimmed size="sm">{t(`setup.mode.${mode}.hint`)}</Dimmed>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}

export function ReviewStep({ form, state }: StepProps & { readonly state: SetupState }) {
  const { t } = useTranslation();
  const { username, mode, DefaultLanguage, ServerAddress } = form.values;
  const facts = [
    { label: t('setup.step.database'), value: DATABASES[state.database_type] },
    {
      label: t('setup.step.admin'),
      value: state.root_init ? t('setup.rootExists') : username.trim(),
    },
    { label: t('setup.mode'), value: t(`setup.mode.${mode}`) },
    { label: t('setup.language'), value: LANGUAGES[DefaultLanguage].name },
    { label: t('setup.address'), value: ServerAddress.trim() },
  ];
  return (
    <>
      <DataList size="sm" withDivider labelWidth="10em">
        {facts.map(({ label, value }) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
      {state.proxy_detected !== '' && (
        <Checkbox
          label={t('setup.trustProxy', { name: state.proxy_detected })}
          description={t('setup.trustProxyHint')}
          {...form.getInputProps('trust_proxy', { type: 'checkbox' })}
        />
      )}
    </>
  );
}
