import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Tag } from '../../../components/display/Tag.tsx';
import classes from '../Settings.module.css';
import { useSettings } from './settings-store.ts';
import type { Section } from './tabs.ts';
import { useSaveSection } from './useSaveSection.tsx';

/** The number of changes in a section, with Save and Discard. */
export function SectionFooter({ name, keys }: Section) {
  const { t } = useTranslation();
  const { changed, discard, isSaving } = useSettings();
  const save = useSaveSection(name, keys);
  const count = changed(keys).length;
  const section = t(`setting.section.${name}`);
  return (
    <Group className={classes.footer} gap="xs">
      {count > 0 && <Tag tone="blue">{t('setting.changes', { count })}</Tag>}
      <Group gap="xs" ml="auto">
        {count > 0 && (
          <Button variant="default" onClick={() => discard(keys)}>
            {t('setting.discard')}
          </Button>
        )}
        <Button
          variant={count > 0 ? 'filled' : 'default'}
          aria-label={t('setting.save', { section })}
          loading={isSaving && count > 0}
          onClick={() => void save()}
        >
          {t('setting.saveShort')}
        </Button>
      </Group>
    </Group>
  );
}
