/** The shell around every screen: top bar, side menu, banners and the content area. */

import { Anchor, AppShell } from '@mantine/core';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation, useNavigation } from 'react-router-dom';
import { SafeHtml } from '../../components/content/SafeHtml.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useUser } from '../../lib/session/session.ts';
import { statusQuery, useStatus } from '../../lib/site/status.ts';
import { hasSideMenu } from '../routing/navigation.ts';
import { SearchAndKeys } from '../search/SearchAndKeys.tsx';
import { LAYERS_ID } from '../theme.ts';
import { TopBar } from '../top-bar/TopBar.tsx';
import { Banners } from './Banners.tsx';
import classes from './ShellPage.module.css';
import { SideMenu } from './SideMenu.tsx';

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
  const status = useQuery(statusQuery).data?.status;
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
      <SiteAppearance />
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
          <div id={LAYERS_ID} />
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

const PRODUCT_SITE = 'https://www.npmjs.com/package/ai-model-gateway';
const CREDITS = ['shell.credit.1', 'shell.credit.2', 'shell.credit.3'] as const;
/** Drawn once per page load, so that the text does not change between renders. */
const drawn = Math.random();

function Footer() {
  const { t } = useTranslation();
  const [html] = useStored(STORED.footerHtml);
  const [credit] = useState(() => CREDITS[Math.floor(drawn * CREDITS.length)] ?? CREDITS[0]);
  return (
    <footer className={classes.footer}>
      {html !== '' && <SafeHtml html={html} isInline />}
      <Dimmed span>
        {t(credit)}{' '}
        <Anchor
          href={PRODUCT_SITE}
          target="_blank"
          rel="noopener noreferrer"
          size="xs"
          c="inherit"
          underline="always"
        >
          {t('product.name')}
        </Anchor>
      </Dimmed>
    </footer>
  );
}

const SHOW_AFTER_MS = 300;

/** A thin progress bar under the top bar, shown while a screen or response is slow. */
function ProgressLine() {
  const isMoving = useNavigation().state !== 'idle';
  // The unread count and the status are polled in the background and do not count.
  const isFetching =
    useIsFetching({
      predicate: ({ queryKey }) => queryKey[0] !== 'status' && queryKey[1] !== 'unread',
    }) > 0;
  const isBusy = isMoving || isFetching;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(() => setLate(true), SHOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isBusy]);
  return isBusy && isLate ? <div className={classes.line} aria-hidden /> : null;
}

const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
/** The product's default icon, as loaded with the page. */
const defaultIcon = icon?.getAttribute('href') ?? '';

/** Sets the site's logo as the tab icon. */
function SiteAppearance() {
  const logo = useStatus()?.logo ?? '';
  useEffect(() => {
    const address = logo || defaultIcon;
    // Setting the same address again would refetch it.
    if (icon === null || icon.getAttribute('href') === address) return;
    icon.href = address;
    if (logo === '') icon.type = 'image/svg+xml';
    else icon.removeAttribute('type');
  }, [logo]);
  return null;
}
