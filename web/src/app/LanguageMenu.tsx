import { ActionIcon, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { GlobeIcon } from '../parts/icons.tsx';
import { chooseLanguage, isLanguage, LANGUAGES } from './i18n.ts';

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const choose = (value: string) => {
    if (isLanguage(value)) void chooseLanguage(value);
  };
  return (
    <Menu position="bottom-end" width={160}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={40} aria-label={t('shell.language')}>
          <GlobeIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={i18n.resolvedLanguage ?? 'zh'} onChange={choose}>
          {Object.entries(LANGUAGES).map(([language, { name, htmlLang }]) => (
            <Menu.RadioItem key={language} value={language} lang={htmlLang} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
