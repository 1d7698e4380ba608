import { Anchor, Divider, Drawer, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Tag } from '../../components/display/Tag.tsx';
import { useUser } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { LanguageMenu, ThemeSwitch } from '../top-bar/AppearanceSwitches.tsx';
import classes from './PhoneMenu.module.css';
import { SideMenu } from './SideMenu.tsx';

interface PhoneMenuProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Holds the items of the top bar and side menu that do not fit on a phone. */
export function PhoneMenu({ isOpen, onClose }: PhoneMenuProps) {
  const { t } = useTranslation();
  const user = useUser();
  const status = useStatus();
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="left"
      size={280}
      title={t('shell.menu')}
      classNames={classes}
    >
      <Group px="md" pb="xs">
        {status?.self_use_mode_enabled && <Tag tone="violet">{t('shell.selfUse')}</Tag>}
        {status?.demo_site_enabled && <Tag tone="teal">{t('shell.demo')}</Tag>}
        <Group gap={2} ml="auto">
          <ThemeSwitch />
          <LanguageMenu />
        </Group>
      </Group>
      <div className={classes.links}>
        <Anchor component={Link} to="/" className={classes.link}>
          {t('shell.home')}
        </Anchor>
        <Anchor component={Link} to="/app/dashboard" className={classes.link}>
          {t('nav.group.console')}
        </Anchor>
        <Anchor component={Link} to="/pricing" className={classes.link}>
          {t('shell.pricing')}
        </Anchor>
        {status?.docs_link && (
          <Anchor
            href={status.docs_link}
            target="_blank"
            rel="noopener noreferrer"
            className={classes.link}
          >
            {t('shell.docs')}
          </Anchor>
        )}
        <Anchor component={Link} to="/about" className={classes.link}>
          {t('common.about')}
        </Anchor>
      </div>
      {user && (
        <>
          <Divider mx="md" my={4} />
          <SideMenu isFolded={false} />
        </>
      )}
    </Drawer>
  );
}
