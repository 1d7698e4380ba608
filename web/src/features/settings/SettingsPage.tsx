import { Tabs } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OPTION_KEYS } from '../../../../src/domain/options/registry.ts';
import { Tag } from '../../components/display/Tag.tsx';
import { Loaded, Loading } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { Sections } from '../../components/layout/Sections.tsx';
import { useLeaveGuard } from '../../hooks/useLeaveGuard.ts';
import { PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { isFormKey } from './fields/field-texts.ts';
import { OptionSelect } from './fields/OptionSelect.tsx';
import classes from './Settings.module.css';
import { visibleKeys } from './sections/draft.ts';
import { SECTION_PANELS } from './sections/panels.ts';
import { SectionCard } from './sections/SectionCard.tsx';
import {
  SettingsContext,
  useSettings,
  useSettingsStore,
  useStoredOptions,
} from './sections/settings-store.ts';
import {
  type FormKey,
  locationOf,
  type SettingSection,
  sectionsOf,
  TAB_NAMES,
  type TabName,
} from './sections/tabs.ts';

export function SettingsPage() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(PAGE_FIELDS['/admin/settings']);
  const query = useStoredOptions();
  const store = useSettingsStore();
  const dirty = store.changed(OPTION_KEYS);
  const hasPriceEdits = store.priceEdits.size > 0;
  useLeaveGuard(() => dirty.length > 0 || hasPriceEdits);
  const find = useFind((tab) => set({ tab }));
  const tabs = useChosenInSight(state.tab);
  const isDirty = (tab: TabName) =>
    dirty.some((key) => isFormKey(key) && locationOf(key).tab === tab) ||
    (hasPriceEdits && locationOf('ModelPrice').tab === tab);
  return (
    <SettingsContext.Provider value={store}>
      <PageHeader
        title={t('nav.settings')}
        hint={t('setting.hint')}
        actions={
          <OptionSelect
            isPageSearch
            w={{ base: '100%', xs: 280 }}
            label={t('setting.find')}
            value={null}
            onChange={(key) => key !== null && find(key)}
          />
        }
      />
      <Tabs
        value={state.tab}
        onChange={(tab) => set({ tab: tab as TabName })} // one of the values below
        keepMounted={false}
      >
        <Tabs.List ref={tabs} aria-label={t('setting.tabs')} mb="md">
          {TAB_NAMES.map((tab) => (
            <Tabs.Tab
              key={tab}
              value={tab}
              rightSection={isDirty(tab) ? <span className={classes.dot} aria-hidden /> : undefined}
            >
              {t(`setting.tab.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TAB_NAMES.map((tab) => (
          <Tabs.Panel key={tab} value={tab}>
            <Loaded query={query} loading={<Loading lines={8} height={32} />}>
              {() => <TabBody tab={tab} />}
            </Loaded>
          </Tabs.Panel>
        ))}
      </Tabs>
    </SettingsContext.Provider>
  );
}

/** On a phone the tabs scroll sideways, and an address may choose one outside of the window. */
function useChosenInSight(tab: TabName) {
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const chosen = tabs.current?.children[TAB_NAMES.indexOf(tab)];
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return tabs;
}

function TabBody({ tab }: { readonly tab: TabName }) {
  const { t } = useTranslation();
  const { role, changed } = useSettings();
  const isShown = ({ name, keys }: SettingSection) =>
    keys.length === 0 ? SECTION_PANELS[name] !== undefined : visibleKeys(keys, role).length > 0;
  const sections = sectionsOf(tab).filter(isShown);
  return (
    <Sections
      label={t('setting.sections')}
      links={sections.map(({ name, keys }) => {
        const count = changed(keys).length;
        const mark = count > 0 && <Tag tone="blue">{count}</Tag>;
        return { name, title: t(`setting.section.${name}`), mark };
      })}
    >
      {sections.map((section) => (
        <SectionCard key={section.name} {...section} />
      ))}
    </Sections>
  );
}

const MARKED_MS = 2_500;
/** How long to wait for a tab's code to load. */
const WAIT_MS = 5_000;

/** Opens the tab of an option, scrolls to its field and highlights it briefly. */
function useFind(open: (tab: TabName) => void): (key: FormKey) => void {
  const [wanted, setWanted] = useState<FormKey>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (wanted === undefined) return;
    let frame = 0;
    const endsAt = performance.now() + WAIT_MS;
    // The field is rendered with its tab, some frames later.
    const look = () => {
      const found = document.getElementById(`option-${wanted}`);
      if (found === null && performance.now() < endsAt) {
        frame = requestAnimationFrame(look);
        return;
      }
      found?.scrollIntoView({ block: 'center' });
      found?.querySelector<HTMLElement>('input, textarea')?.focus({ preventScroll: true });
      found?.setAttribute('data-found', '');
      timer.current = setTimeout(() => found?.removeAttribute('data-found'), MARKED_MS);
      setWanted(undefined);
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [wanted]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (key) => {
    open(locationOf(key).tab);
    setWanted(key);
  };
}
