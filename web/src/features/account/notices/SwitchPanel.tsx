import { Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { account, type Self, selfKeys } from '../calls.ts';
import { type Switches, switchesOf } from './account-settings.ts';
import { SaveRow } from './SaveRow.tsx';

const FIELDS = {
  price: 'accept_unset_model_ratio_model',
  other: 'show_ip_in_logs',
} as const satisfies Record<string, keyof Switches>;

interface SwitchPanelProps {
  readonly kind: keyof typeof FIELDS;
  readonly self: Self;
}

/** The tabs that have a single switch. */
export function SwitchPanel({ kind, self }: SwitchPanelProps) {
  const { t } = useTranslation();
  const name = FIELDS[kind];
  const stored = switchesOf(self.setting)[name];
  const form = useForm({ initialValues: { isOn: stored } });
  useFilledForm(form, String(stored), () => ({ isOn: stored }));
  const save = useAction((isOn: boolean) => account.changeSetting({ [name]: isOn }), {
    touches: [selfKeys],
    done: () => t('account.saved'),
    isQuiet: true,
  });
  return (
    <Stack gap="md">
      <Switch
        {...form.getInputProps('isOn', { type: 'checkbox' })}
        label={t(`account.${kind}.label`)}
        description={t(`account.${kind}.hint`)}
      />
      {kind === 'price' && <Notice tone="yellow">{t('account.price.warning')}</Notice>}
      <SaveRow form={form} onSave={({ isOn }) => save.mutateAsync(isOn)} />
    </Stack>
  );
}
