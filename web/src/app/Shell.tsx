/** What stands around every screen: the top bar, and the place where the screen goes. */
import { Anchor, AppShell, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, Outlet } from 'react-router-dom';
import { statusReading } from '../lib/status.ts';
import { Logo } from '../parts/Logo.tsx';
import { LanguageMenu } from './LanguageMenu.tsx';
import classes from './Shell.module.css';
import { ThemeSwitch } from './ThemeSwitch.tsx';

const TOP_BAR_PX = 56;

export function Shell() {
  const { t } = useTranslation();
  return (
    <AppShell header={{ height: TOP_BAR_PX }} padding={{ base: 'sm', xs: 'lg' }}>
      <a href="#content" className={classes.skip}>
        {t('shell.skip')}
      </a>
      <AppShell.Header>
        <Group
          h="100%"
          px={{ base: 'sm', xs: 'lg' }}
          gap="sm"
          wrap="nowrap"
          justify="space-between"
        >
          <HomeLink />
          <Group gap={4} wrap="nowrap">
            <LanguageMenu />
            <ThemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function HomeLink() {
  const { t } = useTranslation();
  const { data: reading } = useQuery(statusReading);
  return (
    <Anchor component={Link} to="/" underline="never" c="inherit" className={classes.home}>
      <Logo />
      <Text component="span" fw={600} fz="lg" truncate>
        {reading?.status?.system_name ?? t('product.name')}
      </Text>
    </Anchor>
  );
}
