/** A button that opens a short list of things to do: arrow keys move, Esc closes and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './menu.css';

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** Of one among several: this one is chosen. */
  chosen?: boolean;
  /** A smaller second line. */
  detail?: string;
  onSelect: () => void;
}

interface MenuProps {
  /** The list's name, and the button's unless it is `named`. */
  label: string;
  /** The button's words are its name. */
  named?: boolean;
  className?: string;
  /** Groups, with a line between them. */
  groups: readonly (readonly MenuItem[])[];
  /** Which side of the button the list opens on. */
  side?: 'above' | 'below';
  align?: 'start' | 'end';
  children: ReactNode;
}

export function Menu({
  label,
  named = false,
  className = 'button quiet',
  groups,
  side = 'below',
  align = 'start',
  children,
}: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = (refocus: boolean) => {
    setOpen(false);
    if (refocus) root.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  };
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    const outside = (event: PointerEvent) => root.current?.contains(event.target as Node) || setOpen(false);
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu and its button, gathered where both are
    <div ref={root} className="menu" onKeyDown={(event) => open && onKey(event, root.current, close)}>
      <button
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={named ? undefined : label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div id={id} role="menu" aria-label={label} className={`menu-list ${side} ${align}`}>
          {groups.map((group, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups have no name but their place
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
            <div key={place} role="group">
              {group.map((item) => (
                <Item key={`${item.label} ${item.detail ?? ''}`} item={item} onDone={() => close(true)} />
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Item({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  const { label, icon, chosen, detail, onSelect } = item;
  return (
    <button
      type="button"
      tabIndex={-1}
      role={chosen === undefined ? 'menuitem' : 'menuitemradio'}
      {...(chosen === undefined ? {} : { 'aria-checked': chosen })}
      onClick={() => {
        onDone();
        onSelect();
      }}
    >
      {icon && <Icon name={icon} />}
      <span className="menu-words">
        {label}
        {detail && <small>{detail}</small>}
      </span>
      {chosen && <Icon name="check" />}
    </button>
  );
}

function onKey(event: React.KeyboardEvent, root: HTMLElement | null, close: (refocus: boolean) => void): void {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const target = next[event.key];
  if (target !== undefined) items[target]?.focus();
  else if (event.key === 'Escape') close(true);
  else {
    if (event.key === 'Tab') close(false);
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}
