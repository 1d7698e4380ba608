import { Anchor, Box, Burger, Button, Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { IconConfetti, IconExternalLink, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, NavLink } from 'react-router-dom';
import { Logo } from '../../components/display/Logo.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { ToolButton } from '../../components/display/ToolButton.tsx';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useUser } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { openSearch } from '../search/SearchAndKeys.tsx';
import { isNewYear, offersRegister } from '../shell/shell-rules.ts';
import { LanguageMenu, ThemeSwitch } from './AppearanceSwitches.tsx';
import { AvatarMenu } from './AvatarMenu.tsx';
import classes from './TopBar.module.css';

const Bell = lazy(async () => ({ default: (await import('./Bell.tsx')).Bell }));
const NewYear = lazy(async () => ({ default: (await import('./NewYear.tsx')).NewYear }));

export function TopBar({ onMenu }: { readonly onMenu: () => void }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useUser();
  // Until set-up is finished, every link leads back to it.
  const isSetUp = useStatus()?.setup !== false;
  return (
    <div className={classes.bar}>
      {isPhone && isSetUp && <Burger size="sm" onClick={onMenu} aria-label={t('shell.menu')} />}
      <HomeLink />
      {!isPhone && isSetUp && <Links />}
      <Group gap={2} wrap="nowrap" ml="auto">
        {user && !isPhone && <SearchButton />}
        {isNewYear(new Date()) && <NewYearItem />}
        {(!isPhone || !isSetUp) && <ThemeSwitch />}
        {!(isPhone && user) && <LanguageMenu />}
        {user ? (
          <>
            <Suspense fallback={<Box w={40} />}>
              <Bell />
            </Suspense>
            <AvatarMenu user={user} />
          </>
        ) : (
          isSetUp && <GuestLinks />
        )}
      </Group>
    </div>
  );
}

function HomeLink() {
  const { t } = useTranslation();
  const status = useStatus();
  const isPhone = useIsPhone();
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <Anchor component={Link} to="/" underline="never" c="inherit" className={classes.home}>
        <Logo size={26} />
        <Text component="span" fw={600} fz={16} truncate>
          {status?.system_name || t('product.name')}
        </Text>
      </Anchor>
      {status?.self_use_mode_enabled && !isPhone && <Tag tone="violet">{t('shell.selfUse')}</Tag>}
      {status?.demo_site_enabled && !isPhone && <Tag tone="teal">{t('shell.demo')}</Tag>}
    </Group>
  );
}

function Links() {
  const { t } = useTranslation();
  const docs = useStatus()?.docs_link;
  return (
    <nav className={classes.links} aria-label={t('shell.links')}>
      <NavLink to="/" end className={classes.link ?? ''}>
        {t('shell.home')}
      </NavLink>
      <NavLink to="/app/dashboard" className={classes.link ?? ''}>
        {t('nav.group.console')}
      </NavLink>
      <NavLink to="/pricing" className={classes.link ?? ''}>
        {t('shell.pricing')}
      </NavLink>
      {docs && (
        <a href={docs} target="_blank" rel="noopener noreferrer" className={classes.link}>
          {t('shell.docs')}
          <IconExternalLink size={13} aria-hidden />
        </a>
      )}
      <NavLink to="/about" className={classes.link ?? ''}>
        {t('common.about')}
      </NavLink>
    </nav>
  );
}

function SearchButton() {
  const { t } = useTranslation();
  return (
    <>
      <UnstyledButton className={classes.search} onClick={openSearch}>
        <IconSearch size={15} aria-hidden />
        <span>{t('common.search')}</span>
        <Kbd size="xs">{isMac() ? '⌘K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <ToolButton
        size={40}
        className={classes.searchSmall}
        label={t('common.search')}
        onClick={openSearch}
        icon={IconSearch}
        iconSize={18}
      />
    </>
  );
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

function GuestLinks() {
  const { t } = useTranslation();
  const mayRegister = offersRegister(useStatus(), useIsPhone());
  return (
    <Group gap={6} wrap="nowrap" ml={6}>
      <Button component={Link} to="/login" variant={mayRegister ? 'default' : 'filled'}>
        {t('common.signIn')}
      </Button>
      {mayRegister && (
        <Button component={Link} to="/register">
          {t('common.register')}
        </Button>
      )}
    </Group>
  );
}

function NewYearItem() {
  const { t } = useTranslation();
  const [round, setRound] = useState(0);
  return (
    <>
      <ToolButton
        size={40}
        label={t('shell.newYear')}
        onClick={() => setRound(round + 1)}
        icon={IconConfetti}
        iconSize={18}
      />
      {round > 0 && (
        <Suspense>
          <NewYear key={round} />
        </Suspense>
      )}
    </>
  );
}
