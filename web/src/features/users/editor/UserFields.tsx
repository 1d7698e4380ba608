import {
  Button,
  Fieldset,
  Group,
  PasswordInput,
  Popover,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlusMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Budgets } from '../../../components/budgets/Budgets.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { CapInputs } from '../../../components/forms/CapInputs.tsx';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import type { User } from '../calls.ts';
import { BINDINGS } from '../list/user-columns.tsx';
import type { UserValues } from './user-form.ts';

interface UserFieldsProps {
  readonly form: UseFormReturnType<UserValues>;
  readonly user: User;
}

export function UserFields({ form, user }: UserFieldsProps) {
  const { t } = useTranslation();
  const names = useGroupNames();
  const { group } = form.getValues();
  return (
    <>
      <TextInput
        {...form.getInputProps('username')}
        label={t('common.username')}
        description={t('user.usernameHint')}
        autoComplete="off"
      />
      <TextInput
        {...form.getInputProps('display_name')}
        label={t('common.displayName')}
        autoComplete="off"
      />
      <PasswordInput
        {...form.getInputProps('password')}
        label={t('common.password')}
        description={t('user.passwordKept')}
      />
      <Select
        {...form.getInputProps('group')}
        label={t('common.group')}
        searchable
        data={[...new Set([...names, ...(group === '' ? [] : [group])])]}
      />
      <Balance form={form} />
      <CapInputs
        values={form.getValues()}
        errors={form.errors}
        onChange={(field, value) => form.setFieldValue(field, value)}
      />
      <Budgets subject="user" subjectId={String(user.id)} />
      <Bindings form={form} user={user} />
    </>
  );
}

function Balance({ form }: Pick<UserFieldsProps, 'form'>) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const { quota, adjusted } = form.getValues();
  const before = form.getInitialValues().quota;
  const change = quota - before;
  return (
    <Stack gap={4}>
      <Group align="flex-start" wrap="nowrap">
        <div style={{ flex: 1 }}>
          <QuotaInput
            label={t('common.quota')}
            value={quota}
            error={form.errors.quota}
            allowsNegative
            onChange={(typed) => {
              // The field also reports the value set by code, which is not user input.
              if (typed === form.getValues().quota) return;
              form.setValues({ quota: typed, adjusted: 0 });
            }}
          />
        </div>
        <Adjust
          onAdd={(units) => form.setValues({ quota: quota + units, adjusted: adjusted + units })}
        />
      </Group>
      {change !== 0 && (
        <Dimmed aria-live="polite">
          {t('user.quotaChange', {
            from: quotaText(before),
            change: `${change > 0 ? '+' : ''}${quotaText(change)}`,
          })}
        </Dimmed>
      )}
    </Stack>
  );
}

const PICKS = [1, 5, 10, 50, 100] as const;

/** Adds to or subtracts from the amount, in dollars or units. */
function Adjust({ onAdd }: { readonly onAdd: (units: number) => void }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [units, setUnits] = useState(0);
  const add = (sign: 1 | -1) => {
    onAdd(sign * units);
    setUnits(0);
    setOpen(false);
  };
  return (
    <Popup isOpen={isOpen} onClose={() => setOpen(false)} width={300} withinPortal={false}>
      <Popover.Target>
        <SideButton
          mt={22}
          icon={IconPlusMinus}
          label={t('user.adjust')}
          onClick={() => setOpen(!isOpen)}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack
          gap="sm"
          onKeyDown={(event) => {
            // Enter must not submit the surrounding form.
            if (event.key === 'Enter' && event.target instanceof HTMLInputElement)
              event.preventDefault();
          }}
        >
          <QuotaInput
            label={t('user.adjustBy')}
            value={units}
            onChange={setUnits}
            picks={PICKS}
            data-autofocus
          />
          <Group grow>
            <SideButton disabled={units === 0} label={t('user.takeOff')} onClick={() => add(-1)} />
            <Button variant="light" disabled={units === 0} onClick={() => add(1)}>
              {t('user.addOn')}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popup>
  );
}

function Bindings({ form, user }: UserFieldsProps) {
  const { t } = useTranslation();
  const { cleared } = form.getValues();
  const rows = [
    { field: 'email', value: user.email },
    ...BINDINGS.map(({ field }) => ({
      field,
      value: cleared.includes(field) ? '' : user[field],
      clear: () => form.setFieldValue('cleared', [...cleared, field]),
    })),
  ] as const;
  return (
    <Fieldset legend={t('user.bindings')} variant="default" mx={0}>
      <Dimmed mb="xs">{t('user.bindingsHint')}</Dimmed>
      <Stack gap={6} component="dl" m={0}>
        {rows.map(({ field, value, ...row }) => (
          <Group key={field} wrap="nowrap" fz="sm">
            <Text component="dt" inherit c="dimmed" w={120} style={{ flexShrink: 0 }}>
              {t(`part.identity.${field}`)}
            </Text>
            <Text
              component="dd"
              inherit
              m={0}
              c={value === '' ? 'dimmed' : undefined}
              style={{ overflowWrap: 'anywhere' }}
            >
              {value === '' ? t('user.unbound') : value}
            </Text>
            {value !== '' && 'clear' in row && (
              <Button variant="subtle" size="compact-xs" onClick={row.clear}>
                {t('user.unbind', { what: t(`part.identity.${field}`) })}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Fieldset>
  );
}
