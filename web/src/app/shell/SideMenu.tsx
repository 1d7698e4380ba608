import { Divider, Menu, ScrollArea, Tooltip } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconMessages } from '@tabler/icons-react';
import { Fragment, type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, NavLink, useLocation } from 'react-router-dom';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { ToolButton } from '../../components/display/ToolButton.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { chatsOf } from '../../lib/site/chat-links.ts';
import { type NavItem, useNavigationGroups } from '../routing/navigation.ts';
import classes from './SideMenu.module.css';

interface SideMenuProps {
  readonly isFolded: boolean;
  /** If absent, the menu cannot be collapsed. */
  readonly onFold?: (isFolded: boolean) => void;
  readonly prefetch?: (pathname: string) => void;
}

/** The navigation menu by group; collapsed, it shows icons with their names on hover. */
export function SideMenu({ isFolded, onFold, prefetch }: SideMenuProps) {
  const { t } = useTranslation();
  const groups = useNavigationGroups(useIsAdmin());
  return (
    <>
      <ScrollArea flex={1} scrollbarSize={6} type="hover">
        <nav
          className={classes.menu}
          data-folded={isFolded || undefined}
          aria-label={t('shell.pages')}
        >
          {groups.map(({ name, items }, index) => (
            <Fragment key={name}>
              {index > 0 && <Caption isFolded={isFolded}>{t(`nav.group.${name}`)}</Caption>}
              {items.map((item) => (
                <MenuLink key={item.path} item={item} isFolded={isFolded} prefetch={prefetch} />
              ))}
              {name === 'top' && <Chats isFolded={isFolded} />}
            </Fragment>
          ))}
        </nav>
      </ScrollArea>
      {onFold && (
        <div className={classes.fold}>
          <ToolButton
            label={t(isFolded ? 'shell.unfold' : 'shell.fold')}
            aria-expanded={!isFolded}
            onClick={() => onFold(!isFolded)}
            icon={isFolded ? IconChevronRight : IconChevronLeft}
          />
        </div>
      )}
    </>
  );
}

function Caption({
  isFolded,
  children,
}: {
  readonly isFolded: boolean;
  readonly children: ReactNode;
}) {
  if (isFolded) return <Divider my={6} mx={8} />;
  return <Dimmed p="14px 10px 4px">{children}</Dimmed>;
}

interface MenuLinkProps {
  readonly item: NavItem;
  readonly isFolded: boolean;
  readonly prefetch: ((pathname: string) => void) | undefined;
}

function MenuLink({ item: { path, name, icon: Icon }, isFolded, prefetch }: MenuLinkProps) {
  const { t } = useTranslation();
  const label = t(`nav.${name}`);
  return (
    <Tooltip label={label} position="right" disabled={!isFolded} openDelay={0}>
      <NavLink
        to={path}
        className={classes.link ?? ''}
        aria-label={isFolded ? label : undefined}
        onMouseEnter={() => prefetch?.(path)}
        onFocus={() => prefetch?.(path)}
      >
        <Icon size={18} stroke={1.75} />
        {!isFolded && <span className={classes.name}>{label}</span>}
      </NavLink>
    </Tooltip>
  );
}

let hasReportedBrokenChats = false;

/** The site's chat applications; not rendered if there are none. */
function Chats({ isFolded }: { readonly isFolded: boolean }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { entries, isBroken } = chatsOf(useStored(STORED.chats)[0]);
  useEffect(() => {
    if (!isBroken || hasReportedBrokenChats) return;
    hasReportedBrokenChats = true;
    toast.error(t('shell.chatsBroken'));
  }, [isBroken, t]);
  const named = entries.flatMap((entry, index) =>
    entry ? [{ ...entry, to: `/chat/${index}` }] : [],
  );
  if (named.length === 0) return null;
  return (
    <Menu position="right-start" trigger="click-hover" openDelay={100}>
      <Menu.Target>
        <button
          type="button"
          className={classes.link}
          aria-label={t('nav.chats')}
          data-active={pathname.startsWith('/chat') || undefined}
        >
          <IconMessages size={18} stroke={1.75} />
          {!isFolded && (
            <>
              <span className={classes.name}>{t('nav.chats')}</span>
              <IconChevronRight size={14} />
            </>
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {named.map(({ name, to }) => (
          <Menu.Item key={to} component={Link} to={to}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
