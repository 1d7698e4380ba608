/** The shell around every screen: top bar, side menu, banners and the content area. */
import { AppShell } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useUser } from '../../lib/session/session.ts';
import { statusReading } from '../../lib/site/status.ts';
import { hasSideMenu } from '../routing/navigation.ts';
import { SearchAndKeys } from '../search/SearchAndKeys.tsx';
import { Banners } from './Banners.tsx';
import { Footer } from './Footer.tsx';
import { ProgressLine } from './ProgressLine.tsx';
import classes from './ShellPage.module.css';
import { SideMenu } from './SideMenu.tsx';
import { SiteLook } from './SiteAppearance.tsx';
import { TopBar } from './TopBar.tsx';

const PhoneMenu = lazy(async () => ({ default: (await import('./PhoneMenu.tsx')).PhoneMenu }));

const TOP_BAR_PX = 56;
const MENU_PX = 200;
const FOLDED_PX = 60;
/** Screens that fill the window below the top bar. */
const FRAMES = /^\/(chat\/|chat$|chat2link$)/;

interface ShellPageProps {
  /** Preloads the screen of a path. */
  readonly prefetch: (pathname: string) => void;
}

export function ShellPage({ prefetch }: ShellPageProps) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const isPhone = useIsPhone();
  const user = useUser();
  const [isFolded = false, setFolded] = useStored(STORED.sideMenuFolded);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const status = useQuery(statusReading).data?.status;
  // Here rather than in the menu, which is mounted only after the press that opened it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes only when the path changes
  useEffect(() => setDrawerOpen(false), [pathname]);
  useScrollToTop(pathname);
  if (status && !status.setup && pathname !== '/setup') return <Navigate replace to="/setup" />;

  const hasMenu = !isPhone && user !== undefined && hasSideMenu(pathname);
  const isFrame = FRAMES.test(pathname);
  return (
    <AppShell
      layout="default"
      header={{ height: TOP_BAR_PX }}
      {...(hasMenu && { navbar: { width: isFolded ? FOLDED_PX : MENU_PX, breakpoint: 0 } })}
      padding={0}
      transitionDuration={120}
    >
      <a href="#content" className={classes.skip}>
        {t('shell.skip')}
      </a>
      <SiteLook />
      <AppShell.Header withBorder className={classes.header}>
        <TopBar onMenu={() => setDrawerOpen(true)} />
        <ProgressLine />
      </AppShell.Header>
      {hasMenu && (
        <AppShell.Navbar withBorder className={classes.menu}>
          <SideMenu isFolded={isFolded} onFold={setFolded} prefetch={prefetch} />
        </AppShell.Navbar>
      )}
      {isPhone && (
        <Suspense>
          <PhoneMenu isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} />
        </Suspense>
      )}
      <AppShell.Main renderRoot={(props) => <div {...props} />} className={classes.body ?? ''}>
        <Banners />
        <main
          id="content"
          tabIndex={-1}
          className={clsx(classes.main, isFrame ? classes.frame : classes.content)}
        >
          <Outlet />
        </main>
        {!isFrame && <Footer />}
      </AppShell.Main>
      <SearchAndKeys />
    </AppShell>
  );
}

/** Scrolls a new screen to its top; a state change of the same screen does not scroll. */
function useScrollToTop(pathname: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path change is the trigger
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
}
