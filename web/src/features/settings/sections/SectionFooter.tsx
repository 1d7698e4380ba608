import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { optionRowOf } from '../../../../../src/domain/options/registry.ts';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { problemText } from '../../../components/forms/call-problem.ts';
import { WrongFields } from '../../../components/forms/WrongFields.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { identity } from '../calls.ts';
import { MapDiff } from './DiffTable.tsx';
import { mapChanges, type SettingDraft } from './draft.ts';
import { type SettingsStore, useSettings } from './settings-store.ts';
import type { FormKey, SectionName, SettingSection } from './tabs.ts';

/** The number of changes in a section, with Save and Discard. */
export function SectionFooter({ name, keys }: SettingSection) {
  const { t } = useTranslation();
  const { changed, discard, errors, isSaving } = useSettings();
  const save = useSaveSection(name, keys);
  const count = changed(keys).length;
  const section = t(`setting.section.${name}`);
  return (
    <Group mt={20} pt={12} style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      {count > 0 && <Tag tone="blue">{t('setting.changes', { count })}</Tag>}
      <WrongFields count={keys.filter((key) => errors[key] !== undefined).length} />
      <Group ml="auto">
        {count > 0 && <SideButton label={t('setting.discard')} onClick={() => discard(keys)} />}
        <Button
          variant={count > 0 ? 'filled' : 'default'}
          aria-label={t('setting.save', { section })}
          loading={isSaving && count > 0}
          onClick={() => void save()}
        >
          {t('action.save')}
        </Button>
      </Group>
    </Group>
  );
}

const ENDPOINTS = [
  'oidc.authorization_endpoint',
  'oidc.token_endpoint',
  'oidc.user_info_endpoint',
] as const;

function endpointsOf(found: Awaited<ReturnType<typeof identity.discover>>): SettingDraft {
  return {
    'oidc.authorization_endpoint': found.authorization_endpoint,
    'oidc.token_endpoint': found.token_endpoint,
    'oidc.user_info_endpoint': found.userinfo_endpoint,
  };
}

/** Saves a section: checks its prerequisites first, and confirms changes of maps. */
function useSaveSection(name: SectionName, keys: readonly FormKey[]) {
  const { t } = useTranslation();
  const settings = useSettings();

  const needs = async (changed: readonly string[]): Promise<SettingDraft | undefined> => {
    if (name === 'payment' && changed.length > 0 && lacksAddress(settings)) {
      toast.error(t('setting.payment.noServer'));
      return undefined;
    }
    if (name !== 'oidc' || changed.length === 0) return {};
    const wellKnown = settings.text('oidc.well_known').trim();
    const isStale = changed.includes('oidc.well_known') || !hasEndpoints();
    if (wellKnown === '' || !isStale || settings.role < optionRowOf('oidc.well_known').role)
      return {};
    if (!settings.check(['oidc.well_known'])) return undefined;
    try {
      return endpointsOf(await identity.discover({ url: wellKnown }));
    } catch (error) {
      toast.error(t('setting.oidc.failed', { problem: problemText(t, error) }));
      // Endpoints entered by hand work without the discovery document.
      return hasEndpoints() && ENDPOINTS.some((key) => changed.includes(key)) ? {} : undefined;
    }
  };

  const hasEndpoints = () => ENDPOINTS.every((key) => settings.text(key) !== '');

  return async (): Promise<void> => {
    const changed = settings.changed(keys);
    const more = await needs(changed);
    if (more === undefined) return;
    const maps = changed.filter((key) => optionRowOf(key).type === 'json');
    if (maps.length > 0) {
      if (!settings.check(keys)) return;
      const changes = maps.flatMap((key) =>
        mapChanges(key, settings.stored.get(key) ?? '', settings.text(key)),
      );
      const isSure =
        changes.length === 0 ||
        (await confirm({
          title: t('setting.diff.title'),
          text: <MapDiff changes={changes} />,
          verb: t('setting.diff.verb', { count: changes.length }),
        }));
      if (!isSure) return;
    }
    await settings.save(keys, more);
  };
}

/** The default is a loopback address, out of reach of payment callbacks. An admin cannot see it. */
function lacksAddress({ role, ownKeys }: SettingsStore): boolean {
  return role >= optionRowOf('ServerAddress').role && !ownKeys.has('ServerAddress');
}
