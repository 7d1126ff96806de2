/** An area that files are dropped on, and within it a label that opens the file chooser. */
import { type ReactNode, useId, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './file-drop.css';

interface FileDropProps {
  className: string;
  icon: IconName;
  /** The words around the chooser's label. */
  before: string;
  choose: string;
  after?: string;
  onFiles: (files: File[]) => void;
  children?: ReactNode;
}

export function FileDrop({ className, icon, before, choose, after, onFiles, children }: FileDropProps) {
  const [over, setOver] = useState(false);
  const input = useId();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the file chooser inside is the first
    <div
      className={className}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <Icon name={icon} />
      <p>
        {before}{' '}
        <label htmlFor={input} className="file-label">
          {choose}
        </label>
        <input
          id={input}
          type="file"
          multiple
          className="visually-hidden"
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            event.target.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
        {after}
      </p>
      {children}
    </div>
  );
}
