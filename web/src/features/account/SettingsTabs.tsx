import { Card, Tabs } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../components/layout/list-states.tsx';
import type { Self } from '../../lib/api/account.ts';
import { ACCOUNT_TABS, PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { BindingsPanel } from './bindings/BindingsPanel.tsx';
import { NoticePanel } from './notices/NoticePanel.tsx';
import { OtherPanel, PricePanel } from './notices/PreferencePanels.tsx';
import { SecurityPanel } from './security/SecurityPanel.tsx';

export function SettingsTabs({ query }: { readonly query: UseQueryResult<Self> }) {
  const { t } = useTranslation();
  const { state, set } = useUrlState(PAGE_FIELDS['/app/me']);
  return (
    <Card component="section" aria-label={t('account.settings')} miw={0}>
      <Tabs
        value={state.tab}
        onChange={(tab) => set({ tab: ACCOUNT_TABS.find((name) => name === tab) ?? 'account' })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {ACCOUNT_TABS.map((tab) => (
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
        <Tabs.Panel value="price">
          <Loaded query={query}>{(self) => <PricePanel self={self} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="other">
          <Loaded query={query}>{(self) => <OtherPanel self={self} />}</Loaded>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
