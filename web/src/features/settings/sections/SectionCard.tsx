import { Card, Group, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import { OptionFields } from '../fields/OptionFields.tsx';
import { visibleKeys } from './draft.ts';
import { SECTION_PANELS } from './panels.ts';
import { SectionFooter } from './SectionFooter.tsx';
import { useSettings } from './settings-store.ts';
import type { FormKey, SectionName, SettingSection } from './tabs.ts';

/** One section: its fields, its other panels, and its own Save button. */
export function SectionCard({ name, keys }: SettingSection) {
  const { t } = useTranslation();
  const { role } = useSettings();
  const shown = visibleKeys(keys, role);
  const { Before, Instead, After, hasOwnSave = false } = SECTION_PANELS[name] ?? {};
  const titleId = `section-${name}-title`;
  return (
    <Card
      component="section"
      id={`section-${name}`}
      data-section={name}
      style={{ overflow: 'visible' }}
      padding="lg"
      aria-labelledby={titleId}
    >
      <Group justify="space-between" mb="md">
        <Title order={2} id={titleId}>
          {t(`setting.section.${name}`)}
        </Title>
        <ProviderState name={name} />
      </Group>
      {Before && <Before />}
      {Instead ? <Instead /> : <OptionFields keys={shown} />}
      {After && <After />}
      {shown.length > 0 && !hasOwnSave && <SectionFooter name={name} keys={shown} />}
    </Card>
  );
}

/** The switch of provider sections, whose state is shown next to the title. */
const SWITCH_OF: Partial<Record<SectionName, FormKey>> = {
  oidc: 'oidc.enabled',
  github: 'GitHubOAuthEnabled',
  linuxdo: 'LinuxDOOAuthEnabled',
  wechat: 'WeChatAuthEnabled',
  telegram: 'TelegramOAuthEnabled',
  turnstile: 'TurnstileCheckEnabled',
};

function ProviderState({ name }: { readonly name: SectionName }) {
  const { t } = useTranslation();
  const { stored } = useSettings();
  const key = SWITCH_OF[name];
  if (key === undefined || !stored.has(key)) return null;
  return stored.get(key) === 'true' ? (
    <StateTag tone="green">{t('setting.provider.on')}</StateTag>
  ) : (
    <StateTag tone="grey">{t('setting.provider.off')}</StateTag>
  );
}
