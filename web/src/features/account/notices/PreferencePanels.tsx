/** The tabs with few settings of the account. */
import { Group, Radio, Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { isLanguage, type Language } from '../../../../../src/domain/languages.ts';
import { Notice } from '../../../components/display/Notice.tsx';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { account, type Self } from '../../../lib/api/account.ts';
import { chooseLanguage, LANGUAGES } from '../../../lib/text/texts.ts';
import { switchesOf } from './account-settings.ts';
import { SaveRow } from './SaveRow.tsx';

interface PanelProps {
  readonly self: Self;
}

export function PricePanel({ self }: PanelProps) {
  const { t } = useTranslation();
  const { accept_unset_model_ratio_model } = switchesOf(self.setting);
  const values = { accept_unset_model_ratio_model };
  const form = useForm({ initialValues: values });
  useFilledForm(form, JSON.stringify(values), () => values);
  return (
    <Stack gap="md">
      <Switch
        {...form.getInputProps('accept_unset_model_ratio_model', { type: 'checkbox' })}
        label={t('account.price.label')}
        description={t('account.price.hint')}
      />
      <Notice tone="yellow">{t('account.price.warning')}</Notice>
      <SaveRow form={form} onSave={account.changeSetting} />
    </Stack>
  );
}

/** The value for no choice of the account. */
const SITE = 'site';

interface OtherValues {
  readonly show_ip_in_logs: boolean;
  /** A language or `SITE`. */
  readonly language: string;
}

export function OtherPanel({ self }: PanelProps) {
  const { t } = useTranslation();
  const { show_ip_in_logs } = switchesOf(self.setting);
  const values: OtherValues = { show_ip_in_logs, language: self.language ?? SITE };
  const form = useForm({ initialValues: values });
  useFilledForm(form, JSON.stringify(values), () => values);
  return (
    <Stack gap="md">
      <Radio.Group
        {...form.getInputProps('language')}
        label={t('account.language.label')}
        description={t('account.language.hint')}
      >
        <Group gap="lg" mt={6}>
          {Object.entries(LANGUAGES).map(([language, { name }]) => (
            <Radio key={language} value={language} label={name} />
          ))}
          <Radio value={SITE} label={t('account.language.site')} />
        </Group>
      </Radio.Group>
      <Switch
        {...form.getInputProps('show_ip_in_logs', { type: 'checkbox' })}
        label={t('account.other.label')}
        description={t('account.other.hint')}
      />
      <SaveRow
        form={form}
        onSave={({ show_ip_in_logs, language }) =>
          account.changeSetting({ show_ip_in_logs, language: chosenLanguage(language) })
        }
        onDone={(_, { language }) => {
          const chosen = chosenLanguage(language);
          // The console and the messages of the server have the same language.
          if (chosen !== null) chooseLanguage(chosen);
        }}
      />
    </Stack>
  );
}

function chosenLanguage(language: string): Language | null {
  return isLanguage(language) ? language : null;
}
