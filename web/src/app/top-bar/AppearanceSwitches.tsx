import { Menu } from '@mantine/core';
import { IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isLanguage } from '../../../../src/domain/languages.ts';
import { ToolButton } from '../../components/display/ToolButton.tsx';
import { chooseOwnLanguage } from '../../lib/api/account-language.ts';
import { useTheme } from '../../lib/display/theme.ts';
import { LANGUAGES } from '../../lib/text/texts.ts';

/** The label names the action of the next press, so it changes with the colour scheme. */
export function ThemeSwitch() {
  const { t } = useTranslation();
  const { isDark, toggle } = useTheme();
  const label = t(isDark ? 'shell.theme.light' : 'shell.theme.dark');
  return (
    <ToolButton
      size={40}
      label={label}
      onClick={toggle}
      icon={isDark ? IconSun : IconMoon}
      iconSize={18}
    />
  );
}

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const choose = (value: string) => {
    if (isLanguage(value)) chooseOwnLanguage(value);
  };
  return (
    <Menu width={160}>
      <Menu.Target>
        <ToolButton size={40} label={t('shell.language')} icon={IconLanguage} iconSize={18} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={i18n.language} onChange={choose}>
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
