/** Buttons and links that look like them. A disabled button says why on hover and focus. */
import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';
import './button.css';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Looks {
  kind?: ButtonKind;
  icon?: IconName;
  small?: boolean;
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'>, Looks {
  /** Shows that the call is under way; it cannot be pressed twice. */
  busy?: boolean;
  /** One sentence why it cannot be pressed now; null or undefined when it can. */
  disabledReason?: string | null | undefined;
}

export function Button({
  kind = 'plain',
  icon,
  small,
  busy = false,
  disabledReason,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const hint = useId();
  const blocked = busy || (disabledReason ?? null) !== null;
  const button = (
    <button
      type="button"
      {...rest}
      className={looksOf({ kind, small: small === true, iconOnly: !hasWords(children) })}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      aria-describedby={disabledReason ? hint : rest['aria-describedby']}
      onClick={blocked ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" /> : icon && <Icon name={icon} />}
      {hasWords(children) && <span>{children}</span>}
    </button>
  );
  if (!disabledReason) return button;
  return (
    <span className="blocked">
      {button}
      <span id={hint} role="tooltip" className="tooltip">
        {disabledReason}
      </span>
    </span>
  );
}

/** Goes to another page of the console. */
export function ButtonLink({
  kind = 'plain',
  icon,
  small,
  href,
  children,
}: Looks & { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={looksOf({ kind, small: small === true, iconOnly: false })}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </Link>
  );
}

interface AwayProps extends Looks {
  href: string;
  children: ReactNode;
  /** Saves what is there under this name instead of opening it. */
  download?: string;
}

/** Goes to something that is no page of the console: a share page, a file. */
export function AwayLink({ kind = 'plain', icon = 'external', small, href, download, children }: AwayProps) {
  return (
    <a
      href={href}
      className={looksOf({ kind, small: small === true, iconOnly: false })}
      {...(download === undefined ? { target: '_blank', rel: 'noreferrer' } : { download })}
    >
      <Icon name={icon} />
      <span>{children}</span>
    </a>
  );
}

/** An icon that acts; `label` is its name for everyone who does not see it, and its tooltip. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ButtonProps, 'icon' | 'children'>) {
  return <Button kind="quiet" {...rest} icon={icon} aria-label={label} title={label} />;
}

function looksOf({ kind, small, iconOnly }: { kind: ButtonKind; small: boolean; iconOnly: boolean }): string {
  return `button ${kind}${small ? ' small' : ''}${iconOnly ? ' icon-only' : ''}`;
}

function hasWords(children: ReactNode): boolean {
  return children !== undefined && children !== null && children !== false;
}
