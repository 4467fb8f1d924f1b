import 'reflect-metadata'
import { Crud, type CrudController } from '@dataui/crud'
import { TypeOrmCrudService } from '@dataui/crud-typeorm'
import { Controller, Injectable, Module, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm'
import { IsOptional, IsString, IsUUID, Matches, MaxLength } from 'class-validator'
import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm'

const [file, port] = process.argv.slice(2)
const DEGREES = /^-?\d{1,3}(\.\d{1,5})?$/

@Entity('countries')
class Country {
  @PrimaryColumn() id: string
  @Column() code: string
  @Column() name: string
}

@Entity('regions')
class Region {
  @PrimaryColumn() id: string
  @Column() code: string
  @Column() name: string
}

@Entity('cities')
class City {
  @PrimaryGeneratedColumn('uuid') id: string

  @IsString() @MaxLength(200) @Column() name: string
  @Matches(DEGREES) @Column('decimal', { precision: 8, scale: 5 }) latitude: string
  @Matches(DEGREES) @Column('decimal', { precision: 8, scale: 5 }) longitude: string

  @IsUUID('all') @Column({ name: 'country_id' }) countryId: string
  @ManyToOne(() => Country) @JoinColumn({ name: 'country_id' }) country: Country

  @IsOptional() @IsUUID('all') @Column({ name: 'region_id', nullable: true, type: 'varchar' }) regionId: string | null
  @ManyToOne(() => Region) @JoinColumn({ name: 'region_id' }) region: Region | null

  @Column({ name: 'is_active', default: true, select: false }) isActive: boolean
  @Column({ name: 'created_at', type: 'varchar' }) createdAt: string = new Date().toISOString()
  @Column({ name: 'updated_at', type: 'varchar' }) updatedAt: string = new Date().toISOString()
}

@Injectable()
class CitiesService extends TypeOrmCrudService<City> {
  constructor(@InjectRepository(City) repository: Repository<City>) {
    super(repository)
  }
}

@Crud({
  model: { type: City },
  params: { id: { field: 'id', type: 'string', primary: true } },
  query: {
    alwaysPaginate: true,
    limit: 20,
    maxLimit: 100,
    sort: [{ field: 'name', order: 'ASC' }],
    join: { country: { eager: true }, region: { eager: true } },
  },
})
@Controller('cities')
class CitiesController implements CrudController<City> {
  constructor(public service: CitiesService) {}
}

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database: file, entities: [Country, Region, City], enableWAL: true }),
    TypeOrmModule.forFeature([City]),
  ],
  providers: [CitiesService],
  controllers: [CitiesController],
})
class AppModule {}

const adapter = new FastifyAdapter({ bodyLimit: 50 * 1024 * 1024 })
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: ['error'] })
app.useGlobalPipes(new ValidationPipe({ transform: true }))
await app.listen(Number(port), '127.0.0.1')
