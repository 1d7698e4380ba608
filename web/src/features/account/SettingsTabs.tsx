import { Card, Stack, Switch, Tabs } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseQueryResult, useIsFetching } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { Notice } from '../../components/display/Notice.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { useFilledForm } from '../../hooks/useFilledForm.ts';
import { account, type Self } from '../../lib/api/account.ts';
import { selfKeys } from '../../lib/api/query-keys.ts';
import { field, useUrlState } from '../../lib/browser/url-state.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { BindingsPanel } from './bindings/BindingsPanel.tsx';
import { type Switches, switchesOf } from './notices/account-settings.ts';
import { NoticePanel } from './notices/NoticePanel.tsx';
import { SaveRow } from './notices/SaveRow.tsx';
import { SecurityPanel } from './security/SecurityPanel.tsx';

const TABS = ['account', 'security', 'notice', 'price', 'other'] as const;
const FIELDS = { tab: field.tab(TABS, 'account') };

export function SettingsTabs({ query }: { readonly query: UseQueryResult<Self> }) {
  const { t } = useTranslation();
  const { state, set } = useUrlState(FIELDS);
  const place = useTabInSight();
  return (
    <Card component="section" ref={place} aria-label={t('account.settings')} miw={0}>
      <Tabs
        value={state.tab}
        onChange={(tab) => set({ tab: TABS.find((name) => name === tab) ?? 'account' })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {t(`account.tab.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="account">
          <Loaded query={query}>{(self) => <BindingsPanel self={self} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <Loaded query={query}>{(self) => <SecurityPanel self={self} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="notice">
          <NoticePanel self={query.data} />
        </Tabs.Panel>
        {(['price', 'other'] as const).map((tab) => (
          <Tabs.Panel key={tab} value={tab}>
            <Loaded query={query}>{(self) => <SwitchPanel kind={tab} self={self} />}</Loaded>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}

/** On a phone the tabs are far down: a link that names one scrolls to it after loading. */
function useTabInSight() {
  const place = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const [query] = useSearchParams();
  const look = useEffectEvent(() => {
    if (isPhone && query.has('tab')) place.current?.scrollIntoView({ block: 'start' });
  });
  const isWaiting = useIsFetching() > 0;
  const steps = useRef({ waited: false, looked: false });
  useEffect(() => {
    const { waited, looked } = steps.current;
    steps.current = { waited: waited || isWaiting, looked: looked || (waited && !isWaiting) };
    if (!isWaiting && !looked) look();
  }, [isWaiting]);
  return place;
}

const SWITCHES = {
  price: 'accept_unset_model_ratio_model',
  other: 'show_ip_in_logs',
} as const satisfies Record<string, keyof Switches>;

interface SwitchPanelProps {
  readonly kind: keyof typeof SWITCHES;
  readonly self: Self;
}

/** The tabs that have a single switch. */
function SwitchPanel({ kind, self }: SwitchPanelProps) {
  const { t } = useTranslation();
  const name = SWITCHES[kind];
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
