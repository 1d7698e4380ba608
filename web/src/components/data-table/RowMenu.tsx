import { Menu } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './cells.module.css';
import type { RowAction } from './columns.ts';
import { closeRowMenu, type OpenRowMenu, useRowMenu } from './row-menu.ts';

/** Mounted once in the app: one menu per row would cost more than the rows. */
export function RowMenu() {
  const { t } = useTranslation();
  const open = useRowMenu();
  const [last, setLast] = useState<OpenRowMenu>();
  // Keep the content until the menu has faded out.
  if (open !== undefined && open !== last) setLast(open);
  const [, setMoves] = useState(0);
  useWindowEvent('scroll', () => open && setMoves((count) => count + 1), { capture: true });
  if (last === undefined) return null;
  // Before an item acts, so that a dialog it opens returns the focus to the row.
  const leave = () => last.button.focus({ preventScroll: true });
  const close = () => {
    leave();
    closeRowMenu();
  };
  return (
    <Menu opened={open?.button.isConnected ?? false} onClose={close} withinPortal>
      <Menu.Target>
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: invisible; the menu takes its name from it */}
        <span
          className={classes.anchor}
          style={placeOf(last.button)}
          aria-hidden
          aria-label={t('part.table.more')}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {last.actions.map((action) =>
          action.items === undefined ? (
            <Item key={action.key} action={action} onLeave={leave} />
          ) : (
            <SubMenu key={action.key} action={action} items={action.items} onLeave={leave} />
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function placeOf(button: HTMLElement) {
  const { left, top, width, height } = button.getBoundingClientRect();
  return { left, top, width, height };
}

/** Actions as items of any menu. */
export function MenuItems({ actions }: { readonly actions: readonly RowAction[] }) {
  return actions.map((action) => <Item key={action.key} action={action} />);
}

interface ItemProps {
  readonly action: RowAction;
  readonly onLeave?: () => void;
}

function Item({ action, onLeave }: ItemProps) {
  const { label, icon, onClick, isDanger, refusal } = action;
  return (
    <Menu.Item
      leftSection={icon}
      c={isDanger ? 'var(--tone-red-text)' : undefined}
      disabled={refusal !== undefined}
      title={refusal}
      onClick={() => {
        onLeave?.();
        onClick?.();
      }}
    >
      {label}
    </Menu.Item>
  );
}

interface SubMenuProps extends ItemProps {
  readonly items: readonly RowAction[];
}

function SubMenu({ action, items, onLeave }: SubMenuProps) {
  const { label, icon, refusal } = action;
  return (
    <Menu.Sub position="left-start">
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={icon} disabled={refusal !== undefined} title={refusal}>
          {label}
        </Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {items.map((item) => (
          <Item key={item.key} action={item} {...(onLeave && { onLeave })} />
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}
